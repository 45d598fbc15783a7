/** A server under floods: what a key holder notices, and what stays behind. */
import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { percentile, type Row, startSubject } from '../../bench/measure.ts'
import { type Farmgate, startFarmgate } from '../farmgate.ts'
import { floods } from '../floods.ts'
import { measure } from '../holder.ts'
import { atMost, megabyte, none, type Phase } from '../phase.ts'

const key = randomBytes(32).toString('base64')
const attacker = new URL('../subjects/attacker.ts', import.meta.url)
/** Seconds after a flood in which its descriptors have to be free again. */
const recovery = 15

async function underFlood(name: string, title: string, seconds: number): Promise<readonly Row[]> {
  const farmgate = await startFarmgate({ API_KEY: key, RATE_LIMIT_READS: '0' })
  try {
    // A process that has just started takes more memory whatever it does.
    await Promise.all(Array.from({ length: 8 }, () => measure(farmgate.url, key, 3)))
    const began = farmgate.logged()
    const { times } = await measure(farmgate.url, key, Math.max(3, seconds / 4))
    const quiet = percentile(times, 0.9)
    /** What the log says of one request of the key holder, which is not the flood's. */
    const ownLog = (farmgate.logged() - began) / times.length
    const before = {
      memory: farmgate.memory(),
      descriptors: farmgate.descriptors(),
      logged: farmgate.logged(),
    }
    const highest = watchMemory(farmgate)
    const subject = await startSubject(attacker, String(farmgate.port), key, name)
    const during = await measure(farmgate.url, key, seconds)
    const { sent, opened, statuses } = await subject.call<{
      sent: number
      opened: number
      statuses: Record<string, number>
    }>('report')
    const logged = (farmgate.logged() - before.logged - during.times.length * ownLog) / 1024 / seconds
    await subject.stop()
    const memory = (highest() - before.memory) / megabyte
    const bound = Math.max(5 * quiet, 50)
    return [
      {
        what: `${title}: sent, connections, answers`,
        measured: `${(sent / megabyte).toFixed(1)} MB, ${opened}, ${JSON.stringify(statuses)}`,
      },
      { what: 'p90 of GET /players with the key, quiet', measured: `${quiet.toFixed(1)} ms` },
      atMost('p90 during the flood', percentile(during.times, 0.9), Math.round(bound), ' ms', 1),
      none('requests of the key holder that failed', during.failures),
      atMost('memory grew', memory, 64, ' MB', 1),
      atMost('the log grew a second', logged, 10, ' KB', 2),
      atMost(
        'descriptors more than before, after 15 s at the latest',
        await left(farmgate, before.descriptors),
        2,
      ),
      none('errors in the log', { errors: farmgate.errors.length }),
    ]
  } finally {
    await farmgate.kill()
  }
}

/** Reads the memory each second. @returns ends it and answers the highest */
function watchMemory(farmgate: Farmgate): () => number {
  let highest = farmgate.memory()
  const watching = setInterval(() => {
    highest = Math.max(highest, farmgate.memory())
  }, 1000)
  return () => {
    clearInterval(watching)
    return highest
  }
}

async function left(farmgate: Farmgate, before: number): Promise<number> {
  const end = performance.now() + recovery * 1000
  while (farmgate.descriptors() > before && performance.now() < end) await pause(200)
  return Math.max(0, farmgate.descriptors() - before)
}

export const floodPhases: readonly Phase[] = Object.entries(floods(key)).map(([name, { title }]) => ({
  name: `flood-${name}`,
  title: `Flood: ${title}`,
  share: 2,
  run: (seconds) => underFlood(name, title, seconds),
}))
