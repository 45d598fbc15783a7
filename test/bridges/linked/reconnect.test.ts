/** How the farm restores its link, and what it sends then: over real sockets, with timers that the test moves. */
import { describe, expect, onTestFinished, test } from 'vitest'
import { neverSeen, type Status } from '../../../handlers/game-records.ts'
import { type Attacker, countingGame, type HostileEdgeOptions, hostileEdge } from '../../edge/hostile-edge.ts'
import { eventually } from '../../wait.ts'
import { manualClock } from '../manual-clock.ts'
import { timeCall } from './calling-edge.ts'

/** Waits of the farm for other things than the next attempt: each second, for an answer, for a heartbeat. */
const otherWaits = [1000, 10_000, 12_000]
/** None of its waits equals one of the other ones. */
const backOff = { first: 700, max: 44_444 }

const numbers = ({ heard }: Attacker) => heard.flatMap(({ n }) => (n === undefined ? [] : [n]))
const range = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index)

async function dialled(
  options: HostileEdgeOptions = {},
  status: () => Promise<Status> = async () => neverSeen,
) {
  const { game, emit, release } = countingGame({ holds: true })
  onTestFinished(release)
  const clock = manualClock()
  const waits: number[] = []
  const edge = await hostileEdge(
    { ...game, status },
    {
      clock: {
        ...clock,
        after(milliseconds, run) {
          waits.push(milliseconds)
          return clock.after(milliseconds, run)
        },
      },
      ...options,
    },
  )
  return {
    ...edge,
    waits,
    release,
    emit,
    /** Adds lines to the game's chat. @returns how many listeners received the last of them */
    say(lines: number): number {
      const timestamp = '2026-11-21T12:00:00.000Z'
      const line = { type: 'chat', playerName: 'Abby', message: 'hi', timestamp } as const
      return range(1, lines).reduce(() => emit(line), 0)
    },
    /** The waits before each further attempt. */
    redials: () => waits.filter((wait) => !otherWaits.includes(wait)),
    /** Welcomes the farm. @param heard the last line that is stored */
    async open(heard = 0): Promise<Attacker> {
      const attacker = await edge.link(heard)
      await eventually(() => expect(edge.farm.isOpen).toBe(true))
      return attacker
    },
    /** Ends the link, and lets time pass until the farm dials again. */
    async lose({ ws }: Attacker, code = 1001) {
      ws.close(code)
      await eventually(() => expect(edge.farm.isOpen).toBe(false))
      edge.pass(waits.at(-1) ?? 0)
    },
  }
}

describe('the wait before the next attempt', () => {
  test('doubles with each failure, up to 5 s in the first minute, then up to its maximum; the log has one line', async () => {
    const edge = await dialled({ backOff, handshake: (_info, answer) => answer(false, 503) })
    const expected: number[] = []
    for (const wait of [350, 700, 1400, ...Array<number>(24).fill(2500), 22_222, 22_222]) {
      expected.push(wait)
      await eventually(() => expect(edge.redials()).toEqual(expected))
      edge.pass(wait)
    }
    expect(edge.lines.map(({ message }) => message)).toEqual([
      'no link to the edge: the edge cannot take the link now (status 503)',
    ])
  })

  test('starts again at the first one after an open link', async () => {
    const statuses = [503, 503]
    const edge = await dialled({
      backOff,
      handshake(_info, answer) {
        const status = statuses.shift()
        answer(status === undefined, status)
      },
    })
    for (const wait of [350, 700]) {
      await eventually(() => expect(edge.redials().at(-1)).toBe(wait))
      edge.pass(wait)
    }
    await edge.lose(await edge.open())
    await edge.open()
    expect(edge.redials()).toEqual([350, 700, 350])
  })

  test('is at least a quarter of a second, and 4 s after another process took the link over', async () => {
    const edge = await dialled()
    await edge.lose(await edge.open())
    await edge.lose(await edge.open(), 4001)
    expect(edge.redials()).toEqual([250, 4000])
    expect(edge.lines.at(-1)?.fields).toMatchObject({ cause: 'replaced' })
  })

  test('is as long as Retry-After of the edge says, at most a minute', async () => {
    const seconds = ['30', '3600']
    const edge = await dialled({
      handshake: (_info, answer) => answer(false, 429, 'Too Many', { 'Retry-After': seconds.shift() ?? '0' }),
    })
    for (const expected of [[30_000], [30_000, 60_000]]) {
      await eventually(() => expect(edge.redials()).toEqual(expected))
      edge.pass(expected.at(-1) ?? 0)
    }
  })

  test('is at least 15 s after a refused key', async () => {
    const edge = await dialled({ handshake: (_info, answer) => answer(false, 401) })
    await eventually(() => expect(edge.redials()).toEqual([15_000]))
  })
})

test('the log says for how long the link was down, however long it was open before', async () => {
  const edge = await dialled()
  const attacker = await edge.open()
  for (let beat = 0; beat < 60; beat += 1) {
    edge.pass(12_000)
    attacker.send({ type: 'pong' })
    attacker.send({ type: 'call', id: beat, method: 'none', args: [] })
    await eventually(() => expect(attacker.heard.at(-1)?.id).toBe(beat))
  }
  edge.links[0]?.ws.close(1001)
  await eventually(() => expect(edge.farm.isOpen).toBe(false))
  edge.pass(250)
  edge.pass(4750)
  await edge.open()
  expect(edge.lines.map(({ message, fields }) => [message, fields])).toStrictEqual([
    ['linked to the edge', { address: edge.address }],
    ['no link to the edge: the edge closed it (1001)', { address: edge.address, cause: 'closed' }],
    ['linked to the edge', { address: edge.address, offlineSeconds: 5 }],
  ])
})

describe('chat lines', () => {
  test('arrive in order over any number of links, including those that were sent and not stored', async () => {
    const edge = await dialled()
    const first = await edge.open()
    edge.say(3)
    await eventually(() => expect(numbers(first)).toEqual([1, 2, 3]))
    first.send({ type: 'heard', n: 1 })
    await edge.lose(first)
    edge.say(2)
    const second = await edge.open(2)
    edge.say(1)
    await eventually(() => expect(numbers(second)).toEqual([3, 4, 5, 6]))
    await edge.lose(second)
    const third = await edge.open(4)
    await eventually(() => expect(numbers(third)).toEqual([5, 6]))
  })

  test('that were dropped because too many are pending are counted in the log, at most once a minute', async () => {
    const edge = await dialled()
    const dropped = () =>
      edge.lines.flatMap(({ level, message, fields }) =>
        message === 'chat lines for the edge were dropped: too many wait for it'
          ? [{ level, ...fields }]
          : [],
      )
    const attacker = await edge.open()
    edge.say(2200)
    edge.pass(1000)
    expect(dropped()).toEqual([])
    edge.say(5)
    edge.pass(1000)
    edge.say(2)
    edge.pass(1000)
    expect(dropped()).toEqual([{ level: 'warn', lines: 5 }])
    await eventually(() => expect(numbers(attacker)).toEqual(range(1, 200)))
  })

  test('are not sent after the farm stops', async () => {
    const edge = await dialled()
    const attacker = await edge.open()
    await edge.farm.close()
    edge.say(1)
    expect(numbers(attacker)).toEqual([])
  })
})

test('a call of the previous link is not answered over the new one', async () => {
  const edge = await dialled()
  const first = await edge.open()
  first.send({ type: 'call', id: 1, method: 'rendering', args: [] })
  first.send({ type: 'call', id: 2, method: 'none', args: [] })
  await eventually(() => expect(first.heard.at(-1)?.id).toBe(2))
  await edge.lose(first)
  const second = await edge.open()
  edge.release()
  second.send({ type: 'call', id: 3, method: 'none', args: [] })
  await eventually(() => expect(second.heard.at(-1)?.id).toBe(3))
  expect(second.heard.some(({ id }) => id === 1)).toBe(false)
})

test('the link is checked every second: a game whose ticks stop is reported without any event', async () => {
  const edge = await dialled()
  const attacker = await edge.open()
  edge.pass(11_000)
  await eventually(() => expect(attacker.heard.some(({ type }) => type === 'health')).toBe(true))
})

test('refused calls are in the log within a second', async () => {
  const edge = await dialled({ rates: { reads: 0, writes: 1 } })
  const attacker = await edge.open()
  for (let id = 1; id <= 12; id += 1) attacker.send({ type: 'call', id, ...timeCall(1200) })
  await eventually(() =>
    expect(attacker.heard.filter(({ type }) => type === 'failure').map(({ id }) => id)).toEqual([11, 12]),
  )
  edge.pass(1000)
  const refused = 'calls of the edge were refused: more than the farm takes'
  expect(edge.lines).toContainEqual({ level: 'warn', fields: { calls: 2 }, message: refused })
})

test("a link that is lost before the game's first status is dialled again, and its hello is sent once", async () => {
  const answers: ((status: Status) => void)[] = []
  const edge = await dialled({}, () => new Promise((resolve) => answers.push(resolve)))
  await eventually(() => expect(answers).toHaveLength(1))
  edge.links[0]?.ws.close(1001)
  await eventually(() => expect(edge.redials()).toHaveLength(1))
  answers[0]?.(neverSeen)
  edge.pass(250)
  await eventually(() => expect(answers).toHaveLength(2))
  answers[1]?.(neverSeen)
  await edge.open()
  expect(edge.links.map(({ heard }) => heard.length)).toEqual([0, 1])
  const heartbeats = edge.waits.filter((wait) => wait === 12_000)
  expect(heartbeats).toHaveLength(1)
})

test('frames of the edge before the hello are ignored', async () => {
  const answers: ((status: Status) => void)[] = []
  const edge = await dialled({}, () => new Promise((resolve) => answers.push(resolve)))
  await eventually(() => expect(answers).toHaveLength(1))
  const { ws } = edge.links[0] ?? expect.fail('no link')
  const pong = new Promise((resolve) => ws.once('pong', resolve))
  ws.send('garbage')
  ws.ping()
  await pong
  answers[0]?.(neverSeen)
  await edge.open()
  expect(edge.links).toHaveLength(1)
})

test('an event of the game is sent as an event, not as a chat line', async () => {
  const edge = await dialled()
  const attacker = await edge.open()
  attacker.send({ type: 'watch', topics: ['status'] })
  attacker.send({ type: 'call', id: 1, method: 'none', args: [] })
  await eventually(() => expect(attacker.heard.at(-1)?.id).toBe(1))
  edge.emit({ type: 'rendering_changed', fps: 30 })
  await eventually(() =>
    expect(attacker.heard.at(-1)).toEqual({ type: 'event', event: { type: 'rendering_changed', fps: 30 } }),
  )
  expect(numbers(attacker)).toEqual([])
})
