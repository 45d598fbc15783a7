/** Runs many farms in one process. Each has its own port, limits, records and link; one that fails is started again. */
import { inspect } from 'node:util'
import { restartDelays } from '../../lib/back-off.ts'
import { systemClock } from '../../lib/clock.ts'
import { currentFarm } from '../../lib/current-farm.ts'
import { connectionsFor, descriptorLimit } from '../../lib/descriptors.ts'
import { exitCodes } from '../../lib/exit-codes.ts'
import { returnStartMemory } from '../../lib/start-memory.ts'
import type { HostedFarm } from './farms-folder.ts'
import { createLog } from './log.ts'
import { logListening, type OpenFarm, openFarm } from './run.ts'
import { stopOnSignals } from './shutdown.ts'
import { startProblem } from './start-problem.ts'

/** The waits before a farm is started again. */
const delays = { first: 1000, max: 60_000, stableAfter: 60_000 }
/** Milliseconds in which pending requests of a farm that has failed can finish. */
const endsWithin = 1000

/** Starts all farms; a signal stops them together. @returns after the first attempt with each */
export async function serveFarms(farms: readonly HostedFarm[]): Promise<void> {
  const open = new Set<OpenFarm>()
  let isStopping = false
  // One farm must not use up the descriptors of all.
  const descriptors = Math.floor(descriptorLimit() / farms.length)
  const keep = async ({ name, config }: HostedFarm) => {
    const log = await createLog({ level: config.LOG_LEVEL, format: config.LOG_FORMAT, farm: () => name })
    const connections = { maxConnections: connectionsFor(config.WS_MAX_CLIENTS, descriptors) }
    const nextDelay = restartDelays(delays)
    let startedAt = performance.now()
    let running: OpenFarm | undefined
    const startAgain = (cause: string) => {
      const wait = nextDelay(performance.now() - startedAt, Math.random())
      log.error({ cause, seconds: Math.ceil(wait / 1000) }, 'this farm has failed: farmgate starts it again')
      systemClock.after(wait, () => void start())
    }
    const fail = async (error: unknown) => {
      const failed = running
      if (failed === undefined || isStopping)
        return log.warn({ cause: inspect(error) }, 'a part of farmgate was not closed in order')
      running = undefined
      open.delete(failed)
      await failed.stop(endsWithin).catch(() => undefined)
      startAgain(inspect(error))
    }
    const hosted = { fail }
    const start = async () => {
      if (isStopping) return
      startedAt = performance.now()
      try {
        running = await currentFarm.run(hosted, () => openFarm(config, { log, connections }))
        open.add(running)
        logListening(config, running.server, log)
      } catch (error) {
        startAgain(startProblem(error, config))
      }
    }
    await start()
  }
  process.on('uncaughtException', (error) => {
    const farm = currentFarm.getStore()
    if (farm !== undefined) return farm.fail(error)
    process.stderr.write(`${inspect(error)}\n`)
    process.exit(exitCodes.failed)
  })
  stopOnSignals({
    async stop(within) {
      isStopping = true
      const stopped = await Promise.allSettled([...open].map((farm) => farm.stop(within)))
      for (const one of stopped) if (one.status === 'rejected') throw one.reason
    },
    exit: process.exit,
    monotonic: () => performance.now(),
    on: (signal, listener) => process.on(signal, listener),
  })
  await Promise.all(farms.map(keep))
  returnStartMemory()
}
