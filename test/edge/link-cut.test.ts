/** Writes while the link is cut many times: the answer to each is true: made, not made or unknown. */
import { setImmediate as turn } from 'node:timers/promises'
import { expect, inject, onTestFinished, test } from 'vitest'
import { linkedGame } from '../../bridges/linked/edge-end/linked-game.ts'
import { ChatOutbox } from '../../bridges/linked/farm-end/chat-outbox.ts'
import type { FarmDispatch } from '../../bridges/linked/forwarded-call.ts'
import { seededRandom } from '../../bridges/simulated/random.ts'
import { FarmError } from '../../handlers/farm-error.ts'
import { apiKeyHolder } from '../../handlers/key-holder.ts'
import { memoryLink } from '../bridges/linked/memory-link.ts'
import { aFarm } from '../bridges/simulated/a-farm.ts'
import { steeredFarm } from '../bridges/simulated/steered-farm.ts'
import { suiteKey } from '../contract/server-under-test.ts'
import { memoryChat } from '../handlers/chat/memory-chat.ts'
import { eventually, pause } from '../wait.ts'
import { startEdge } from './edge.ts'
import { linkKey } from './edge-server.ts'
import { mowLawn } from './lawn.ts'
import { diallingFarm } from './linked-farm.ts'
import { memoryStore } from './memory-store.ts'
import { wireTo } from './wire.ts'

/** Distinguishes writes by their only argument, and counts how often each was made. */
class Counted {
  readonly #made = new Map<number, number>()
  made(write: number): void {
    this.#made.set(write, this.times(write) + 1)
  }
  times(write: number): number {
    return this.#made.get(write) ?? 0
  }
  get mostOften(): number {
    return Math.max(...this.#made.values())
  }
}

/** The answer to a write: it was made, it was not made, or the outcome is unknown. */
type Reported = 'made' | 'not made' | 'unknown'

function expectTrue(counted: Counted, reported: ReadonlyMap<number, Reported>): void {
  for (const [write, outcome] of reported) {
    if (outcome === 'made') expect([write, counted.times(write)]).toEqual([write, 1])
    if (outcome === 'not made') expect([write, counted.times(write)]).toEqual([write, 0])
  }
  expect(counted.mostOften).toBe(1)
  // Each of the three outcomes must have occurred, or the test would not have tested it.
  expect([...new Set(reported.values())].sort()).toEqual(['made', 'not made', 'unknown'])
}

test.each(['an endpoint', 'a chat message'])(
  'over a link that is cut 150 times %s is never forwarded twice, and none that was made is reported as not made',
  async (which) => {
    const random = seededRandom('cuts')
    const counted = new Counted()
    const make = async (write: number) => {
      if (random.chance(0.5)) await turn()
      counted.made(write)
      if (random.chance(0.5)) await turn()
    }
    const dispatch: FarmDispatch = {
      effectOf: () => 'write',
      async dispatch({ search }) {
        await make(Number(search))
        return { status: 201, result: mowLawn.example }
      },
      async say({ lines }) {
        await make(Number(lines[0]))
        return undefined
      },
    }
    const { farm: game } = aFarm({ story: 'steered' })
    const edge = linkedGame({ store: memoryStore(), isResumed: false, now: Date.now, firstCall: 1 })
    const outbox = new ChatOutbox(memoryChat(game), () => {})
    const from = { requestId: 'of the test', address: '192.0.2.7' }
    const ask = (number: number): Promise<unknown> =>
      which === 'a chat message'
        ? edge.say({ author: 'Bot', lines: [String(number)], holder: apiKeyHolder(), ...from })
        : edge.forward(mowLawn, { search: String(number), from, takesDiscord: false })
    const reported = new Map<number, Reported>()
    const asked: Promise<void>[] = []
    const write = (number: number) =>
      asked.push(
        ask(number).then(
          () => void reported.set(number, 'made'),
          (error: unknown) => {
            expect(error).toBeInstanceOf(FarmError)
            const kind = error instanceof FarmError ? error.failure.kind : undefined
            expect(['timeout', 'unavailable']).toContain(kind)
            reported.set(number, kind === 'timeout' ? 'unknown' : 'not made')
          },
        ),
      )
    for (let cuts = 0; cuts < 150; cuts += 1) {
      const link = memoryLink({ edge, game, dispatch, generation: cuts, outbox })
      while (!edge.isLinked()) await link.step()
      for (let at = 0; at < 3; at += 1) {
        write(cuts * 4 + at)
        if (random.chance(0.5)) await link.step()
      }
      for (let steps = random.whole(0, 8); steps > 0; steps -= 1) await link.step()
      link.cut()
      write(cuts * 4 + 3)
    }
    await Promise.all(asked)
    expect(reported.size).toBe(600)
    expectTrue(counted, reported)
    await edge.close()
  },
)

test('through a real Worker, over real sockets that are cut 50 times, HTTP clients get the true outcome of their writes', async () => {
  const server = await startEdge(inject('edgeBundle'), {
    API_KEY: suiteKey,
    LINK_KEY: linkKey,
    RATE_LIMIT_WRITES: '0',
  })
  onTestFinished(() => server.stop())
  const wire = await wireTo(server.url)
  onTestFinished(() => wire.stop())
  const counted = new Counted()
  const farm = steeredFarm()
  const { link } = diallingFarm(
    wire.url,
    linkKey,
    {},
    {
      ...farm,
      async setLoginTimeout(seconds) {
        counted.made(seconds)
        return 0
      },
    },
  )
  const reported = new Map<number, Reported>()
  const outcomes: Readonly<Record<number, Reported>> = { 200: 'made', 503: 'not made', 504: 'unknown' }
  const write = async (number: number) => {
    const answer = await fetch(`${server.url}/auth/timeout?value=${number}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${suiteKey}` },
    })
    const body = await answer.json()
    const outcome = outcomes[answer.status]
    expect([answer.status, outcome]).toEqual([answer.status, expect.any(String)])
    // Only a write that was not made can be tried again.
    expect([answer.status, body.retry]).toEqual([answer.status, outcome === 'not made' ? true : undefined])
    expect(answer.headers.has('retry-after')).toBe(outcome === 'not made')
    if (outcome === 'unknown') expect(body.error).toContain('whether the change was made is unknown')
    reported.set(number, outcome ?? 'unknown')
  }
  for (let cuts = 0; cuts < 50; cuts += 1) {
    await eventually(() => expect(link.isOpen).toBe(true))
    const first = write(cuts * 4)
    if (cuts % 2 === 0) await first
    const writes = [first, write(cuts * 4 + 1), write(cuts * 4 + 2)]
    await pause(cuts % 8)
    wire.cut()
    writes.push(write(cuts * 4 + 3))
    await Promise.all(writes)
  }
  expect(reported.size).toBe(200)
  expectTrue(counted, reported)
})
