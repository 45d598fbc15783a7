/** Random requests, handshakes and frames, from a seed that the report names. */
import { randomBytes, randomInt } from 'node:crypto'
import type { Row } from '../../../bench/measure.ts'
import { fuzz } from '../../attack/fuzz/send.ts'
import { seededRandom } from '../../platform/seeded.ts'
import { startFarmgate } from '../farmgate.ts'
import { measure } from '../holder.ts'
import { none, type Phase } from '../phase.ts'

async function run(seconds: number): Promise<readonly Row[]> {
  const key = randomBytes(32).toString('base64')
  const off = {
    RATE_LIMIT_READS: '0',
    RATE_LIMIT_WRITES: '0',
    RATE_LIMIT_ANONYMOUS: '0',
    RATE_LIMIT_FAILED_KEYS: '0',
  }
  const farmgate = await startFarmgate({ API_KEY: key, ...off })
  try {
    const seed = randomInt(2 ** 31)
    const random = seededRandom(seed)
    const outcomes = new Map<string, number>()
    const end = performance.now() + seconds * 1000
    let sent = 0
    while (performance.now() < end) {
      sent += 1000
      for (const [outcome, count] of await fuzz({ port: farmgate.port, key }, 1000, 32, random))
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + count)
    }
    const wrong = [...outcomes].filter(([outcome]) => !/^(closed|101|[234]\d\d|501)$/.test(outcome))
    const { failures } = await measure(farmgate.url, key, 1)
    return [
      { what: 'seed', measured: String(seed) },
      { what: 'inputs', measured: String(sent) },
      { what: 'outcomes', measured: JSON.stringify(Object.fromEntries(outcomes)) },
      none('outcomes that must not be', Object.fromEntries(wrong)),
      none('requests that failed afterwards', failures),
      none('errors in the log', { errors: farmgate.errors.length }),
    ]
  } finally {
    await farmgate.kill()
  }
}

export const fuzzPhase: Phase = { name: 'fuzz', title: 'Random input', share: 3, run }
