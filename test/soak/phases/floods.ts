/** A server under floods: the effect on a key holder, and the leftovers. */
import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { percentile, type Row, startSubject } from '../../../bench/measure.ts'
import { startFarmgate } from '../farmgate.ts'
import { type Flood, floods, ticketFloods } from '../floods.ts'
import { measure } from '../holder.ts'
import { atMost, megabyte, none, type Phase } from '../phase.ts'
import type { ServerProcess } from '../server-process.ts'
import { startTicketService } from '../ticket-service.ts'

const key = randomBytes(32).toString('base64url')
const attacker = new URL('../subjects/attacker.ts', import.meta.url)
/** Seconds after a flood in which its descriptors must be free again. */
const recovery = 15

interface Target {
  start(): Promise<ServerProcess>
  /** The path of the key holder's request. */
  readonly path: string
}

const controlApi: Target = {
  start: () => startFarmgate({ API_KEY: key, RATE_LIMIT_READS: '0' }),
  path: '/players',
}
const ticketService: Target = { start: () => startTicketService(key), path: '/steam/app-ticket' }

async function underFlood(
  { start, path }: Target,
  name: string,
  title: string,
  seconds: number,
): Promise<readonly Row[]> {
  const server = await start()
  try {
    // A newly started process takes more memory in any case.
    await Promise.all(Array.from({ length: 8 }, () => measure(server.url, key, 3, path)))
    const began = server.logged()
    const { times } = await measure(server.url, key, Math.max(3, seconds / 4), path)
    const quiet = percentile(times, 0.9)
    /** The log lines of one request of the key holder, which are not the flood's. */
    const ownLog = (server.logged() - began) / times.length
    const before = {
      memory: server.memory(),
      descriptors: server.descriptors(),
      logged: server.logged(),
    }
    const highest = watchMemory(server)
    const subject = await startSubject(attacker, String(server.port), key, name)
    const [during, onNew] = await Promise.all([
      measure(server.url, key, seconds, path),
      measure(server.url, key, seconds, path, 'new'),
    ])
    const { sent, opened, statuses } = await subject.call<{
      sent: number
      opened: number
      statuses: Record<string, number>
    }>('report')
    const logged =
      (server.logged() - before.logged - (during.times.length + onNew.times.length) * ownLog) / 1024 / seconds
    await subject.stop()
    const memory = (highest() - before.memory) / megabyte
    const boundOf = (milliseconds: number) => Math.round(Math.max(5 * quiet, milliseconds))
    return [
      {
        what: `${title}: sent, connections, answers`,
        measured: `${(sent / megabyte).toFixed(1)} MB, ${opened}, ${JSON.stringify(statuses)}`,
      },
      { what: `p90 of GET ${path} with the key, quiet`, measured: `${quiet.toFixed(1)} ms` },
      atMost('p90 during the flood', percentile(during.times, 0.9), boundOf(20), ' ms', 1),
      atMost('p90 on new connections', percentile(onNew.times, 0.9), boundOf(80), ' ms', 1),
      none('requests of the key holder that failed', during.failures),
      none('requests on new connections that failed', onNew.failures),
      atMost('memory grew', memory, 64, ' MB', 1),
      atMost('the log grew a second', logged, 10, ' KB', 2),
      atMost(
        'descriptors more than before, after 15 s at the latest',
        await left(server, before.descriptors),
        2,
      ),
      none('errors in the log', { errors: server.errors.length }),
    ]
  } finally {
    await server.kill()
  }
}

/** Reads the memory each second. @returns a function that stops and returns the highest */
function watchMemory(server: ServerProcess): () => number {
  let highest = server.memory()
  const watching = setInterval(() => {
    highest = Math.max(highest, server.memory())
  }, 1000)
  return () => {
    clearInterval(watching)
    return highest
  }
}

async function left(server: ServerProcess, before: number): Promise<number> {
  const end = performance.now() + recovery * 1000
  while (server.descriptors() > before && performance.now() < end) await pause(200)
  return Math.max(0, server.descriptors() - before)
}

const phasesOf = (target: Target, table: Readonly<Record<string, Flood>>): readonly Phase[] =>
  Object.entries(table).map(([name, { title }]) => ({
    name: `flood-${name}`,
    title: `Flood: ${title}`,
    share: 2,
    run: (seconds) => underFlood(target, name, title, seconds),
  }))

export const floodPhases: readonly Phase[] = [
  ...phasesOf(controlApi, floods(key)),
  ...phasesOf(ticketService, ticketFloods),
]
