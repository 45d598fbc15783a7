/** The live connection: its state and its copy of the status, without a network. */
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Live } from '../../client/index.ts'
import { reconnected, SteeredSocket, started } from './steered-socket.ts'

const status = { isOnline: true, isReady: true, day: 1, season: 'spring', year: 1, farmName: 'Clover' }

test('the address is that of the farm, with ws in place of http', () => {
  started()
  expect(SteeredSocket.last.url).toBe('wss://edge.example/farms/clover/ws')
})

test('auth comes first, then the topics', () => {
  started({ topics: ['status'], since: 7 })
  SteeredSocket.last.accept()
  expect(SteeredSocket.last.sent).toEqual([
    { type: 'auth', payload: { token: 'k', since: 7 } },
    { type: 'subscribe', payload: { topics: ['status'] } },
  ])
})

test('a wrong name in live.on(…) is an error that lists the names', () => {
  const { live } = started()
  for (const name of ['chats', 'toString'])
    expect(() => live.on(name as 'chat', () => undefined)).toThrow(
      new TypeError(`No listener "${name}"; known: chat, event, missed, gap, log, state, snapshot`),
    )
})

test('an outage is an item once, also when the server sends it again after a drop', async () => {
  const { live } = started()
  const missed: unknown[] = []
  live.on('missed', (item) => missed.push(item))
  const outage = { from: '2026-11-21T12:00:00.000Z', to: '2026-11-21T12:05:00.000Z' }
  SteeredSocket.last.accept()
  SteeredSocket.last.deliver('missed', outage)
  SteeredSocket.last.drop()
  await reconnected()
  SteeredSocket.last.accept()
  SteeredSocket.last.deliver('missed', outage)
  SteeredSocket.last.deliver('missed', { from: outage.to, to: '2026-11-21T12:10:00.000Z' })
  expect(missed).toEqual([
    { type: 'missed', ...outage },
    { type: 'missed', from: outage.to, to: '2026-11-21T12:10:00.000Z' },
  ])
})

describe('the state', () => {
  test.each(['The key is no longer valid', 'The farm was deleted'])(
    'is refused permanently after a close with "%s"',
    async (reason) => {
      const { live } = started()
      SteeredSocket.last.accept()
      SteeredSocket.last.drop(1008, reason)
      expect(live.state).toBe('refused')
      await reconnected()
      expect(SteeredSocket.all).toHaveLength(1)
    },
  )

  test('is connecting, not refused, after a connection so slow that auth came too late', async () => {
    const { live } = started()
    SteeredSocket.last.happen('open')
    SteeredSocket.last.deliver('auth_failed', { error: 'Authentication timeout' })
    SteeredSocket.last.drop(1008, 'Authentication timeout')
    expect(live.state).toBe('connecting')
    await reconnected()
    SteeredSocket.last.accept()
    expect(live.state).toBe('live')
  })

  test('is refused permanently after auth_failed', async () => {
    const { live } = started()
    SteeredSocket.last.happen('open')
    SteeredSocket.last.deliver('auth_failed', { error: 'Invalid token' })
    SteeredSocket.last.drop(1008, 'Authentication failed')
    expect(live.state).toBe('refused')
    await reconnected()
    expect(SteeredSocket.all).toHaveLength(1)
  })

  test('changes from connecting to away, and never to live, while the game stays offline', async () => {
    const { live } = started()
    const states: string[] = []
    live.on('state', (state) => states.push(state))
    const offline = { topic: 'status', eventSeq: 1, data: { ...status, isOnline: false } }
    SteeredSocket.last.accept()
    SteeredSocket.last.deliver('snapshot', offline)
    SteeredSocket.last.drop()
    await reconnected()
    SteeredSocket.last.accept()
    SteeredSocket.last.deliver('snapshot', offline)
    expect(states).toEqual(['live', 'away', 'connecting', 'away'])
  })
})

test('events that change a part of the status change the copy', () => {
  const { live } = started()
  SteeredSocket.last.accept()
  SteeredSocket.last.deliver('snapshot', { topic: 'status', eventSeq: 1, data: status })
  SteeredSocket.last.deliver('event', {
    topic: 'status',
    event: 'day_started',
    eventSeq: 2,
    day: 2,
    season: 'fall',
    year: 3,
  })
  SteeredSocket.last.deliver('event', {
    topic: 'status',
    event: 'ready_changed',
    eventSeq: 3,
    isReady: false,
  })
  expect(live.status).toEqual({ ...status, day: 2, season: 'fall', year: 3, isReady: false })
  SteeredSocket.last.deliver('event', {
    topic: 'status',
    event: 'season_started',
    eventSeq: 4,
    season: 'winter',
    year: 4,
  })
  expect(live.status).toMatchObject({ season: 'winter', year: 4, day: 2 })
})

test('lines of the game’s log and their gaps reach the listener of the log, and no other', () => {
  const { live, seqs } = started({ topics: ['log'] })
  const heard: unknown[] = []
  live.on('log', (line) => heard.push(line))
  live.on('event', (event) => heard.push(event))
  live.on('gap', (gap) => heard.push(gap))
  SteeredSocket.last.accept()
  SteeredSocket.last.deliver('event', { topic: 'log', text: 'Day saved', at: '2026-11-21T12:00:00.000Z' })
  SteeredSocket.last.deliver('gap', { topic: 'log', lines: 12 })
  SteeredSocket.last.deliver('chat', { seq: 107, playerName: 'Abby', message: 'hi', timestamp: '' })
  expect(heard).toEqual([{ text: 'Day saved', at: '2026-11-21T12:00:00.000Z' }, { missing: 12 }])
  expect(seqs()).toEqual([107])
})

test('messages of an unknown type, and messages that are not JSON, are ignored', () => {
  const { live, seqs } = started()
  SteeredSocket.last.accept()
  SteeredSocket.last.deliver('constructor', { a: 1 })
  SteeredSocket.last.deliver('a later version', {})
  SteeredSocket.last.happen('message', { data: '{' })
  SteeredSocket.last.happen('message', { data: 'null' })
  SteeredSocket.last.chat(101)
  expect(seqs()).toEqual([101])
  expect(live.state).toBe('live')
})

const offline = { topic: 'status', eventSeq: 1, data: { isOnline: false } }

/** Each state, and how the connection reaches it. */
const states: readonly (readonly [string, Live['state'], () => void | Promise<void>])[] = [
  ['before the socket is open', 'connecting', () => undefined],
  ['before the key is accepted', 'connecting', () => SteeredSocket.last.happen('open')],
  ['while it is live', 'live', () => SteeredSocket.last.accept()],
  [
    'while the game is offline',
    'away',
    () => {
      SteeredSocket.last.accept()
      SteeredSocket.last.deliver('snapshot', offline)
    },
  ],
  [
    'in the pause after a drop',
    'connecting',
    () => {
      SteeredSocket.last.accept()
      SteeredSocket.last.drop()
    },
  ],
  [
    'during a later attempt',
    'connecting',
    async () => {
      SteeredSocket.last.drop()
      await reconnected()
    },
  ],
]

describe.each([
  ['close()', (live: Live, _abort: AbortController) => live.close()],
  ['the signal', (_live: Live, abort: AbortController) => abort.abort()],
])('%s', (_name, end) => {
  test.each(states)(
    '%s ends everything: socket, iterations, messages to say, timers',
    async (_when, state, reach) => {
      const abort = new AbortController()
      const { live, seqs } = started({ signal: abort.signal })
      const reported: string[] = []
      live.on('state', (now) => reported.push(now))
      const iterating = live[Symbol.asyncIterator]().next()
      await reach()
      expect(live.state).toBe(state)
      const said = live
        .say({ author: 'Bot', message: 'too late' })
        .catch(({ code }: { code: string }) => code)
      const connections = SteeredSocket.all.length
      end(live, abort)
      end(live, abort)
      expect(live.state).toBe('closed')
      expect(reported.filter((now) => now === 'closed')).toEqual(['closed'])
      expect(await iterating).toEqual({ done: true, value: undefined })
      // A message that was sent might have been said.
      expect(await said).toBe(['live', 'away'].includes(state) ? 'outcome_unknown' : 'closed')
      expect(SteeredSocket.last.isClosed).toBe(true)
      SteeredSocket.last.chat(500)
      SteeredSocket.last.drop()
      await reconnected()
      expect(SteeredSocket.all).toHaveLength(connections)
      expect(seqs()).toEqual([])
      expect(live.state).toBe('closed')
      expect(vi.getTimerCount()).toBe(0)
    },
  )
})

test('close() after a refusal leaves the state as it is', () => {
  const { live } = started()
  SteeredSocket.last.happen('open')
  SteeredSocket.last.deliver('auth_failed', { error: 'Invalid token' })
  live.close()
  expect(live.state).toBe('refused')
  expect(vi.getTimerCount()).toBe(0)
})

test('with a signal that is aborted already nothing is connected', async () => {
  const { live } = started({ signal: AbortSignal.abort() })
  expect(live.state).toBe('closed')
  await reconnected()
  expect(SteeredSocket.all).toEqual([])
  expect(await live[Symbol.asyncIterator]().next()).toEqual({ done: true, value: undefined })
})

describe('a message to say', () => {
  const said = () => SteeredSocket.last.sent.filter(({ type }) => type === 'chat_send')

  test('waits for the connection, and is said once', async () => {
    const { live } = started({ topics: [] })
    const both = Promise.all([
      live.say({ author: 'Bot', message: 'one' }),
      live.say({ author: 'Bot', message: 'two' }),
    ])
    SteeredSocket.last.drop()
    await vi.advanceTimersByTimeAsync(1_000)
    SteeredSocket.last.accept()
    expect(said().map(({ payload }) => payload?.['message'])).toEqual(['one', 'two'])
    for (const { payload } of said()) SteeredSocket.last.deliver('chat_sent', { id: payload?.['id'] })
    await both
  })

  test('whose connection drops before the answer might have been said, and is not said again', async () => {
    const { live } = started({ topics: [] })
    SteeredSocket.last.accept()
    const failed = expect(live.say({ author: 'Bot', message: 'one' })).rejects.toMatchObject({
      code: 'outcome_unknown',
      retry: false,
    })
    SteeredSocket.last.drop()
    await failed
    await reconnected()
    SteeredSocket.last.accept()
    expect(said()).toEqual([])
  })

  test('without a connection in time was not said, and never is', async () => {
    const { live } = started({ topics: [] })
    const failed = expect(
      live.say({ author: 'Bot', message: 'one' }, { timeout: 500 }),
    ).rejects.toMatchObject({
      code: 'timeout',
      retry: true,
    })
    await vi.advanceTimersByTimeAsync(500)
    await failed
    SteeredSocket.last.accept()
    expect(said()).toEqual([])
  })

  test('without an answer in time might have been said', async () => {
    const { live } = started({ topics: [] })
    SteeredSocket.last.accept()
    const failed = expect(
      live.say({ author: 'Bot', message: 'one' }, { timeout: 500 }),
    ).rejects.toMatchObject({
      code: 'outcome_unknown',
    })
    await vi.advanceTimersByTimeAsync(500)
    await failed
  })

  test('fails after the end', async () => {
    const { live } = started()
    live.close()
    await expect(live.say({ author: 'Bot', message: 'one' })).rejects.toMatchObject({ code: 'closed' })
  })
})

/** Uncaught errors, recorded so that they do not end the test run. */
function uncaught(): unknown[] {
  const errors: unknown[] = []
  vi.stubGlobal('queueMicrotask', (task: () => void) => {
    try {
      task()
    } catch (error) {
      errors.push(error)
    }
  })
  onTestFinished(() => void vi.unstubAllGlobals())
  return errors
}

const failing = new Error('a fault of the listener')
const fail = () => {
  throw failing
}

test('a listener that was removed is not called', () => {
  const { live } = started()
  const states: string[] = []
  const remove = live.on('state', (state) => states.push(state))
  SteeredSocket.last.accept()
  remove()
  live.close()
  expect(states).toEqual(['live'])
})

test('a listener that throws keeps no line from the other listeners and the iterations, and its error is not swallowed', async () => {
  const errors = uncaught()
  const { live } = started()
  const iterator = live[Symbol.asyncIterator]()
  SteeredSocket.last.accept(100)
  live.on('chat', fail)
  const later: number[] = []
  live.on('chat', ({ seq }) => later.push(seq))
  for (const seq of [101, 102]) SteeredSocket.last.chat(seq)
  expect(later).toEqual([101, 102])
  expect(await iterator.next()).toMatchObject({ value: { seq: 101 } })
  expect(errors).toEqual([failing, failing])
})

test('a listener of the state that throws does not stop the connection: it reconnects after a drop', async () => {
  const errors = uncaught()
  const { live, seqs } = started({ since: 100 })
  live.on('state', fail)
  SteeredSocket.last.accept()
  SteeredSocket.last.drop()
  expect(live.state).toBe('connecting')
  await reconnected()
  SteeredSocket.last.accept()
  SteeredSocket.last.chat(101)
  expect(seqs()).toEqual([101])
  expect(live.state).toBe('live')
  live.close()
  expect(live.state).toBe('closed')
  expect(SteeredSocket.last.isClosed).toBe(true)
  expect(errors).toEqual([failing, failing, failing, failing])
})

test('a listener of gaps, events or snapshots that throws does not stop changes of the copy', () => {
  const errors = uncaught()
  const { live } = started()
  for (const name of ['gap', 'event', 'snapshot'] as const) live.on(name, fail)
  SteeredSocket.last.accept(100)
  SteeredSocket.last.deliver('gap', { from: 101, to: 110 })
  SteeredSocket.last.deliver('snapshot', { topic: 'players', eventSeq: 1, data: { players: [], version: 1 } })
  const player = { id: 7, idText: '7', name: 'Abby', isOnline: true }
  SteeredSocket.last.deliver('event', { topic: 'players', event: 'player_joined', eventSeq: 2, player })
  expect(live.players?.players).toEqual([{ id: 7n, name: 'Abby', isOnline: true }])
  expect(errors).toEqual([failing, failing, failing])
})
