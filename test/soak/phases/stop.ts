/** SIGTERM while chat clients listen, clients poll and writes wait for the game. */
import * as v from 'valibot'
import { type Row, startSubject } from '../../../bench/measure.ts'
import { startCrowd, until } from '../crowd.ts'
import { startFarmgateWithGame } from '../farmgate-with-game.ts'
import { atMost, none, type Phase } from '../phase.ts'

const clients = 300
const writes = 20

/** One start and stop. */
async function once(): Promise<{ milliseconds: number; wrong: Record<string, number> }> {
  const { key, game, farmgate } = await startFarmgateWithGame({
    RATE_LIMIT_READS: '0',
    RATE_LIMIT_WRITES: '0',
    RATE_LIMIT_ANONYMOUS: '0',
  })
  const crowd = await startCrowd(farmgate.wsUrl, key, clients)
  const polling = await startSubject(new URL('../subjects/pollers.ts', import.meta.url), farmgate.url, key)
  const writing = await startSubject(new URL('../subjects/pollers.ts', import.meta.url), farmgate.url, key)
  try {
    await polling.call('poll', 50, 0)
    await game.call('freeze', true)
    const written = writing.call<readonly string[]>('write', writes)
    await until(async () => (await pending(farmgate.url)) >= writes, 20)
    const began = performance.now()
    farmgate.signal('SIGTERM')
    const { code, signal } = await farmgate.exited
    const milliseconds = performance.now() - began
    const outcomes = await written
    const polled = await polling.call<Record<string, number>>('outcomes')
    await until(async () => (await crowd.call<number>('connected')) === 0, 5)
    const { closings } = await crowd.call<{ closings: Record<string, number> }>('report')
    return {
      milliseconds,
      wrong: {
        'exit code': code === 0 && signal === null ? 0 : 1,
        ...counted(
          outcomes.filter((outcome) => outcome !== '504').map((outcome) => `writes answered by ${outcome}`),
        ),
        'polls cut off': polled['GET: answer cut off'] ?? 0,
        'clients not closed 1001': clients - (closings['1001 Server is stopping'] ?? 0),
        'errors in the log': farmgate.errors.length,
      },
    }
  } finally {
    for (const subject of [crowd, polling, writing, game]) await subject.stop()
    await farmgate.kill()
  }
}

const health = v.object({ pendingActions: v.number() })
/** How many writes wait for the game. */
const pending = async (url: string): Promise<number> =>
  v.parse(health, await (await fetch(`${url}/health`)).json()).pendingActions

/** How often each text occurs. */
function counted(texts: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const text of texts) counts[text] = (counts[text] ?? 0) + 1
  return counts
}

async function run(seconds: number): Promise<readonly Row[]> {
  const end = performance.now() + seconds * 1000
  const wrong: Record<string, number> = {}
  let stops = 0
  let longest = 0
  do {
    const one = await once()
    stops += 1
    longest = Math.max(longest, one.milliseconds)
    for (const [kind, count] of Object.entries(one.wrong)) wrong[kind] = (wrong[kind] ?? 0) + count
  } while (performance.now() < end)
  return [
    { what: 'stops by SIGTERM', measured: String(stops) },
    atMost('the longest took', longest, 5500, ' ms'),
    none('what went wrong', wrong),
  ]
}

export const stopPhase: Phase = { name: 'stop', title: 'SIGTERM under load', share: 1, run }
