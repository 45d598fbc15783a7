/**
 * A game server with a faulty `/ws`: farmgate keeps answering, keeps its memory, logs the cause once, and tries again
 * with longer and longer waits.
 */
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Limits } from '../../bridges/upstream/limits.ts'
import { systemClock } from '../../lib/clock.ts'
import { startPair } from '../bridges/upstream/pair.ts'
import { eventually } from '../wait.ts'
import { type Breach, startHostileGame } from './game/hostile-socket.ts'
import { closed, frameCases, handshakeCases, pingsUnread, silence } from './game/socket-breaches.ts'

const limits: Partial<Limits> = {
  pollEvery: 500,
  brokenAfter: 600_000,
  pongWithin: 300,
  chatWellAfter: 60_000,
  backOffFrom: 10,
  backOffTo: 10_000,
}
/** For games that are dropped for their silence. */
const impatient: Partial<Limits> = { chatOpensWithin: 300, pingEvery: 50 }
/** For games that are dropped for another reason, on any slow machine. */
const patient: Partial<Limits> = { chatOpensWithin: 600_000, pingEvery: 600_000 }
const dropped = new Set([silence, closed])
const megabyte = 1024 * 1024

async function attacked(breach: Breach, patience = patient) {
  const hostile = await startHostileGame()
  hostile.breach = breach
  /** Milliseconds before each attempt but the first. */
  const waits: number[] = []
  const clock: typeof systemClock = {
    ...systemClock,
    after(milliseconds, run) {
      if (run.name === 'connect') waits.push(milliseconds)
      // A right game may be slower than a hostile one: during the floods of the other tests it takes longer than 0.3 s.
      const isRight = hostile.breach === undefined && hostile.held() === 0
      return systemClock.after(isRight && milliseconds === limits.pongWithin ? 600_000 : milliseconds, run)
    },
  }
  const pair = await startPair({
    clock,
    limits: { ...limits, ...patience },
    urlOf: ({ port }) => {
      hostile.gamePort = port
      return hostile.url
    },
  })
  const close = async () => {
    await pair.close()
    hostile.close()
  }
  const players = async () => (await fetch(`${pair.gate.url}/players`)).status
  const reported = () =>
    pair.logged.flatMap(({ level, message }) =>
      message.startsWith('chat with') || level === 'error' ? [`${level}: ${message}`] : [],
    )
  return { ...pair, hostile, waits, close, players, reported }
}

describe.each([
  ['the answer to its handshake is', handshakeCases],
  ['after the handshake it sends', frameCases],
])('a game whose socket %s', (_what, cases) => {
  test.concurrent.each(cases)('%s', async (_name, breach, cause) => {
    const { hostile, bridge, waits, players, reported, close } = await attacked(
      breach,
      cause === silence ? impatient : patient,
    )
    try {
      // A back-off that restarts each time never waits for longer than 20 ms.
      await eventually(() => Math.max(...waits) > 60 && hostile.handshakes > 3)
      expect(await players()).toBe(200)
      expect(reported()).toEqual([`warn: chat with the game server is down: ${cause}`])
      // Everything until the time limit, and after a close, is dropped, in any amount.
      if (!dropped.has(cause)) expect(hostile.sent()).toBeLessThan(16 * megabyte)
      hostile.breach = undefined
      await eventually(() => bridge.sendChat({ author: 'Bot', message: 'hello' }))
      await eventually(() => expect(hostile.held()).toBe(0))
    } finally {
      await close()
    }
  })
})

test('a game that sends endless pings and does not read the pongs is dropped before they fill the memory', async () => {
  const { hostile, players, reported, close } = await attacked(pingsUnread)
  onTestFinished(close)
  await eventually(() => expect(hostile.handshakes).toBeGreaterThan(2))
  expect(await players()).toBe(200)
  expect(reported()).toEqual(['warn: chat with the game server is down: it does not read what is sent to it'])
})

test.each([
  ['401 Unauthorized', 'it refuses GAME_API_KEY'],
  ['403 Forbidden', 'it refuses GAME_API_KEY'],
  [
    '429 Too Many Requests\r\nRetry-After: 999999999',
    'what answers there is not its API (status 429 to a WebSocket)',
  ],
])(
  'a handshake answered %j is not tried again soon, and the reads of the API continue',
  async (status, cause) => {
    const { hostile, players, reported, close, server } = await attacked(
      (socket) => void socket.write(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\n\r\n`),
    )
    onTestFinished(close)
    await eventually(() => expect(reported()).toEqual([`warn: chat with the game server is down: ${cause}`]))
    const polls = server.count('GET /health')
    await eventually(() => expect(server.count('GET /health')).toBeGreaterThan(polls + 4))
    expect(hostile.handshakes).toBe(1)
    expect(await players()).toBe(200)
  },
)
