/** What an attacker who controls the edge can do to the farm's process and to its game. */
import * as v from 'valibot'
import { expect, test } from 'vitest'
import { maxEdgeFrame } from '../../bridges/linked/protocol.ts'
import { farmFailure } from '../../handlers/farm-error.ts'
import { problemOf } from '../../handlers/problem.ts'
import { eventually } from '../wait.ts'
import { type Attacker, countingGame, hostileEdge } from './hostile-edge.ts'

/** The farm dials again at once. */
const soon = { backOff: { first: 20, max: 100 } }
const read = (id: number) => ({ type: 'call', id, method: 'rendering', args: [] })
const times = (count: number) => Array.from({ length: count }, (_, index) => index + 1)
const failures = ({ heard }: Attacker) =>
  heard.flatMap(({ type, failure }) => (type === 'failure' ? [v.parse(farmFailure, failure)] : []))
/** Waits until the farm has handled everything that was sent before. */
async function settled(attacker: Attacker): Promise<void> {
  attacker.send({ type: 'call', id: 0, method: 'a call that no farm has', args: [] })
  await eventually(() => expect(attacker.heard.some(({ id }) => id === 0)).toBe(true))
}

test('calls that are cancelled at once count until the game has ended them: of 1,000 at most 256 reach it', async () => {
  const { game, made, release } = countingGame({ holds: true })
  const edge = await hostileEdge(game, soon)
  const first = await edge.link()
  for (const id of times(1000)) {
    first.send(read(id))
    first.send({ type: 'cancel', id })
  }
  await settled(first)
  expect(made).toHaveLength(256)

  first.ws.close(1001)
  const second = await edge.link()
  second.send(read(1))
  await settled(second)
  expect(made).toHaveLength(256)

  release()
  await eventually(() => {
    second.send(read(2))
    expect(made).toHaveLength(257)
  })
})

test('the link has its own rate, ten times that of a client, and keeps it over a new link: calls over it are not made, and answered 503 with Retry-After', async () => {
  const { game, made } = countingGame({ holds: false })
  const edge = await hostileEdge(game, { ...soon, rates: { reads: 6, writes: 0 } })
  let attacker = await edge.link()
  for (const id of times(100)) attacker.send(read(id))
  await eventually(() => expect(failures(attacker)).toHaveLength(100))
  expect(made).toHaveLength(60)
  const refused = failures(attacker).filter(({ kind }) => kind !== 'not_ready')
  expect(refused).toHaveLength(40)
  for (const failure of refused) {
    const { status, details } = problemOf(failure)
    expect([status, details.retryAfter]).toEqual([503, expect.any(Number)])
  }
  attacker.ws.close(1001)
  attacker = await edge.link()
  attacker.send(read(1))
  await settled(attacker)
  expect(made).toHaveLength(60)
  edge.pass(60_000)
  attacker.send(read(2))
  await eventually(() => expect(made).toHaveLength(61))
  const count = v.object({ calls: v.number() })
  const reported = () =>
    edge.lines.flatMap(({ message, fields }) =>
      message.startsWith('calls of the edge were refused') ? [v.parse(count, fields).calls] : [],
    )
  await eventually(() => expect(reported().reduce((sum, calls) => sum + calls, 0)).toBe(41))
  expect(reported().length).toBeLessThanOrEqual(2)
})

const deep = `${'['.repeat(30_000)}${']'.repeat(30_000)}`
test.each<[string, unknown, number]>([
  ['30,000 nested brackets', `{"type":"call","id":1,"method":"newGame","args":${deep}}`, 4400],
  ['a frame of more than 272 KiB', read(1).type + 'x'.repeat(maxEdgeFrame), 1009],
])(
  'after %s the link is closed, nothing that follows reaches the game, and the next attempt waits',
  async (_what, frame, code) => {
    const { game, made } = countingGame({ holds: false })
    const edge = await hostileEdge(game, soon)
    const attacker = await edge.link()
    attacker.send(frame)
    for (const id of times(1000)) attacker.send(read(id))
    expect(await attacker.closed).toBe(code)
    const next = await edge.link()
    await settled(next)
    expect(made).toEqual([])
  },
)

test('an edge of another number stays linked: its unknown frames are ignored, and a call of an unknown kind is refused', async () => {
  const { game, made } = countingGame({ holds: false })
  const edge = await hostileEdge(game, soon)
  const next = await edge.link()
  next.send({ type: 'later', what: [1] })
  next.send({ type: 'later', id: 1 })
  next.send({ type: 'call', id: 2, method: 'later', args: [] })
  next.send(read(3))
  await eventually(() => expect(made).toHaveLength(1))
  const unsupported = expect.objectContaining({ kind: 'unsupported', by: 'farmgate' })
  await eventually(() => expect(failures(next).slice(0, 2)).toEqual([unsupported, unsupported]))
})

const pings = ({ ws }: Attacker) => ws.ping()
// Those of every other kind count alike (test/bridges/linked/farm-hears.test.ts).
const frames: readonly [string, (attacker: Attacker, number: number) => void][] = [
  ['calls of one id, and over the bound', ({ send }, id) => send(read(id % 2 === 0 ? 1 : id))],
  ['protocol pings', pings],
]
test.each(frames)(
  'a flood of %s closes the link with 4429, and the log has a line or two',
  async (_what, sendOne) => {
    const { game, made } = countingGame({ holds: true })
    const edge = await hostileEdge(game, soon)
    const attacker = await edge.link()
    for (const number of times(31_000)) sendOne(attacker, number)
    expect(await attacker.closed).toBe(4429)
    expect(made.length).toBeLessThanOrEqual(256)
    await edge.link()
    expect(edge.lines.filter(({ level }) => level === 'warn').length).toBeLessThanOrEqual(2)
  },
)

test('a bad frame of 190 kB costs the farm little: it is closed at the first that breaks the protocol, and after a minute’s worth of calls with wrong arguments', async () => {
  const { game, made } = countingGame({ holds: false })
  const edge = await hostileEdge(game, soon)
  const first = await edge.link()
  await settled(first)
  const scopes = `[${Array<number>(95_000).fill(0)}]`
  first.send(`{"type":"call","id":1,"method":"dispatch","args":[{"holder":{"scopes":${scopes}}}]}`)
  expect(await first.closed).toBe(4400)

  const second = await edge.link()
  const wrong = (id: number) => ({ type: 'call', id, method: 'usedKey', args: ['x'.repeat(190_000)] })
  for (const id of times(60)) second.send(wrong(id))
  const refused = () => failures(second).filter(({ kind }) => kind === 'invalid_argument')
  await eventually(() => expect(refused()).toHaveLength(60))
  second.send(wrong(61))
  expect(await second.closed).toBe(4400)
  expect(made).toEqual([])
})
