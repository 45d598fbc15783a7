/** Runs many farms in one process. Each has its own port, limits, records and link; a farm that cannot start is tried again. */
import { backOff } from '../../lib/back-off.ts'
import { systemClock } from '../../lib/clock.ts'
import { connectionsFor, descriptorLimit } from '../../lib/descriptors.ts'
import { returnStartMemory } from '../../lib/start-memory.ts'
import type { HostedFarm } from './farms-folder.ts'
import { createLog } from './log.ts'
import { logListening, type OpenFarm, openFarm } from './run.ts'
import { stopOnSignals } from './shutdown.ts'
import { startProblem } from './start-problem.ts'

/** The waits before a farm is tried again. */
const delays = { first: 1000, max: 60_000 }

/** Starts all farms; a signal stops them together. @returns after the first attempt with each */
export async function serveFarms(farms: readonly HostedFarm[]): Promise<void> {
  const open = new Set<OpenFarm>()
  let isStopping = false
  // One farm must not use up the descriptors of all.
  const descriptors = Math.floor(descriptorLimit() / farms.length)
  const keep = async ({ name, config }: HostedFarm) => {
    const log = await createLog({ level: config.LOG_LEVEL, format: config.LOG_FORMAT, farm: () => name })
    const connections = { maxConnections: connectionsFor(config.WS_MAX_CLIENTS, descriptors) }
    const start = async (failures: number): Promise<void> => {
      if (isStopping) return
      try {
        const farm = await openFarm(config, { log, connections })
        open.add(farm)
        logListening(config, farm.server, log)
      } catch (error) {
        const wait = backOff(delays, failures + 1, Math.random())
        log.error(
          { cause: startProblem(error, config), seconds: Math.ceil(wait / 1000) },
          'this farm cannot start; farmgate tries again',
        )
        systemClock.after(wait, () => void start(failures + 1))
      }
    }
    await start(0)
  }
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
