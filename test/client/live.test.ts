/** The live connection without a network: a socket that the test drives, and a clock that it moves. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type ChatLine, connect, type Gap, type Socket, type SocketEvent } from '../../client/index.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** The server's end of a connection. */
class SteeredSocket implements Socket {
  static readonly all: SteeredSocket[] = []
  static get last(): SteeredSocket {
    const last = SteeredSocket.all.at(-1)
    if (last === undefined) throw new Error('nothing has connected')
    return last
  }
  readonly sent: { readonly type: string; readonly payload?: Record<string, unknown> }[] = []
  readonly #listeners = new Map<string, (event: SocketEvent) => void>()
  readonly url: string
  isClosed = false

  constructor(url: string) {
    this.url = url
    SteeredSocket.all.push(this)
  }
  send(text: string): void {
    this.sent.push(JSON.parse(text))
  }
  close(): void {
    this.isClosed = true
  }
  addEventListener(type: string, listener: (event: SocketEvent) => void): void {
    this.#listeners.set(type, listener)
  }
  happen(type: string, event: Omit<SocketEvent, 'type'> = {}): void {
    this.#listeners.get(type)?.({ type, ...event })
  }
  tell(type: string, payload?: object): void {
    this.happen('message', { data: JSON.stringify({ type, payload }) })
  }
  accept(newest = 100): void {
    this.happen('open')
    this.tell('auth_success')
    if (this.sent[0]?.payload?.['since'] === Number.MAX_SAFE_INTEGER)
      this.tell('gap', { from: null, to: newest })
  }
  chat(seq: number, message = `line ${seq}`): void {
    this.tell('chat', { playerName: 'Abby', message, timestamp: '2026-11-21T12:00:00.000Z', seq })
  }
  drop(code = 1006, reason = ''): void {
    this.happen('close', { code, reason })
  }
}

const status = { isOnline: true, isReady: true, day: 1, season: 'spring', year: 1, farmName: 'Clover' }

function started(options: Parameters<ReturnType<typeof connect>['live']>[0] = {}) {
  SteeredSocket.all.length = 0
  const live = connect({ url: 'https://edge.example/farms/clover', key: 'k', WebSocket: SteeredSocket }).live(
    options,
  )
  const lines: ChatLine[] = []
  const gaps: Gap[] = []
  live.on('chat', (line) => lines.push(line))
  live.on('gap', (gap) => gaps.push(gap))
  return { live, lines, gaps, seqs: () => lines.map(({ seq }) => seq) }
}
/** Longer than the longest pause before a new attempt. */
const reconnected = () => vi.advanceTimersByTimeAsync(30_000)

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

describe('after a drop', () => {
  test('the lines after the last one are asked for, also when none was heard yet', async () => {
    const { seqs, gaps } = started()
    SteeredSocket.last.accept(100)
    SteeredSocket.last.drop()
    await reconnected()
    SteeredSocket.last.accept()
    expect(SteeredSocket.last.sent[0]?.payload).toEqual({ token: 'k', since: 100 })
    SteeredSocket.last.chat(101)
    SteeredSocket.last.drop()
    await reconnected()
    SteeredSocket.last.accept()
    expect(SteeredSocket.last.sent[0]?.payload).toEqual({ token: 'k', since: 101 })
    SteeredSocket.last.chat(101)
    SteeredSocket.last.chat(102)
    expect(seqs()).toEqual([101, 102])
    expect(gaps).toEqual([])
  })

  test('lines that the server no longer has are told as a gap', async () => {
    const { gaps, seqs } = started()
    SteeredSocket.last.accept(100)
    SteeredSocket.last.drop()
    await reconnected()
    SteeredSocket.last.accept()
    SteeredSocket.last.tell('gap', { from: 101, to: 150 })
    SteeredSocket.last.chat(151)
    expect(gaps).toEqual([{ from: 101, to: 150 }])
    expect(seqs()).toEqual([151])
  })

  test('when the numbering of the server begins lower, the chat goes on from there', async () => {
    const { gaps, seqs } = started({ since: 900 })
    SteeredSocket.last.accept()
    SteeredSocket.last.tell('gap', { from: null, to: 20 })
    SteeredSocket.last.chat(21)
    expect(gaps).toEqual([{ from: null, to: 20 }])
    expect(seqs()).toEqual([21])
  })

  test('the pauses before new attempts grow to half a minute, and begin anew once the server accepts', async () => {
    started()
    const attempts = () => SteeredSocket.all.length
    for (let failures = 0; failures < 8; failures += 1) {
      SteeredSocket.last.drop()
      await reconnected()
    }
    expect(attempts()).toBe(9)
    SteeredSocket.last.drop()
    await vi.advanceTimersByTimeAsync(14_000)
    expect(attempts()).toBe(9)
    await reconnected()
    expect(attempts()).toBe(10)
    SteeredSocket.last.accept()
    SteeredSocket.last.drop()
    await vi.advanceTimersByTimeAsync(1_000)
    expect(attempts()).toBe(11)
  })
})

test('a server that is silent after a ping is left, and connected to again', async () => {
  const { live } = started()
  SteeredSocket.last.accept()
  await vi.advanceTimersByTimeAsync(30_000)
  expect(SteeredSocket.last.sent.at(-1)).toEqual({ type: 'ping' })
  SteeredSocket.last.tell('pong')
  await vi.advanceTimersByTimeAsync(30_000)
  const silent = SteeredSocket.last
  await vi.advanceTimersByTimeAsync(10_000)
  expect(silent.isClosed).toBe(true)
  expect(live.state).toBe('connecting')
  silent.chat(500)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(SteeredSocket.all).toHaveLength(2)
})

test('a server that accepts the connection and never opens it is left', async () => {
  started()
  await vi.advanceTimersByTimeAsync(41_000)
  expect(SteeredSocket.all).toHaveLength(2)
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
    for (const { payload } of said()) SteeredSocket.last.tell('chat_sent', { id: payload?.['id'] })
    await both
  })

  test('whose connection breaks before the answer may have been said, and is not said again', async () => {
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

  test('without an answer in time may have been said', async () => {
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

  test('after the end fails', async () => {
    const { live } = started()
    live.close()
    await expect(live.say({ author: 'Bot', message: 'one' })).rejects.toMatchObject({ code: 'closed' })
  })
})

describe('the state', () => {
  test.each(['The key is no longer valid', 'The farm was deleted'])(
    'is refused for good after a close with "%s"',
    async (reason) => {
      const { live } = started()
      SteeredSocket.last.accept()
      SteeredSocket.last.drop(1008, reason)
      expect(live.state).toBe('refused')
      await reconnected()
      expect(SteeredSocket.all).toHaveLength(1)
    },
  )

  test('is away while the status says that the game is not there', () => {
    const { live } = started()
    SteeredSocket.last.accept()
    SteeredSocket.last.tell('snapshot', {
      topic: 'status',
      eventSeq: 1,
      data: { ...status, isOnline: false },
    })
    expect(live.state).toBe('away')
    SteeredSocket.last.tell('event', { topic: 'status', event: 'status_changed', eventSeq: 2, status })
    expect(live.state).toBe('live')
  })

  test('is closed when the signal is aborted, and the socket is closed', async () => {
    const abort = new AbortController()
    const { live } = started({ signal: abort.signal })
    SteeredSocket.last.accept()
    abort.abort()
    expect(live.state).toBe('closed')
    expect(SteeredSocket.last.isClosed).toBe(true)
    await reconnected()
    expect(SteeredSocket.all).toHaveLength(1)
  })
})

test('events that change a part of the status change the copy', () => {
  const { live } = started()
  SteeredSocket.last.accept()
  SteeredSocket.last.tell('snapshot', { topic: 'status', eventSeq: 1, data: status })
  SteeredSocket.last.tell('event', {
    topic: 'status',
    event: 'day_started',
    eventSeq: 2,
    day: 2,
    season: 'fall',
    year: 3,
  })
  SteeredSocket.last.tell('event', { topic: 'status', event: 'ready_changed', eventSeq: 3, isReady: false })
  expect(live.status).toEqual({ ...status, day: 2, season: 'fall', year: 3, isReady: false })
  SteeredSocket.last.tell('event', {
    topic: 'status',
    event: 'season_started',
    eventSeq: 4,
    season: 'winter',
    year: 4,
  })
  expect(live.status).toMatchObject({ season: 'winter', year: 4, day: 2 })
})

test('messages of a type that is not known, and what is not JSON, are ignored', () => {
  const { live, seqs } = started()
  SteeredSocket.last.accept()
  SteeredSocket.last.tell('constructor', { a: 1 })
  SteeredSocket.last.tell('a later version', {})
  SteeredSocket.last.happen('message', { data: '{' })
  SteeredSocket.last.happen('message', { data: 'null' })
  SteeredSocket.last.chat(101)
  expect(seqs()).toEqual([101])
  expect(live.state).toBe('live')
})

describe('an iteration', () => {
  test('that reads slowly misses the oldest lines, and each is told as a gap', async () => {
    const { live, gaps } = started()
    const iterator = live[Symbol.asyncIterator]()
    SteeredSocket.last.accept(0)
    for (let seq = 1; seq <= 10_002; seq += 1) SteeredSocket.last.chat(seq)
    expect(gaps).toEqual([
      { from: 1, to: 1 },
      { from: 2, to: 2 },
    ])
    expect(await iterator.next()).toMatchObject({ done: false, value: { seq: 3 } })
  })

  test('that is left does not close the connection, and gets no more', async () => {
    const { live } = started()
    SteeredSocket.last.accept(0)
    const first = live[Symbol.asyncIterator]()
    const waiting = first.next()
    SteeredSocket.last.chat(1)
    expect(await waiting).toMatchObject({ value: { seq: 1 } })
    await first.return?.()
    SteeredSocket.last.chat(2)
    expect(await first.next()).toEqual({ done: true, value: undefined })
    expect(live.state).toBe('live')
  })

  test('gets what was heard before it ends', async () => {
    const { live } = started()
    SteeredSocket.last.accept(0)
    const iterator = live[Symbol.asyncIterator]()
    SteeredSocket.last.chat(1)
    live.close()
    expect(await iterator.next()).toMatchObject({ value: { seq: 1 } })
    expect(await iterator.next()).toEqual({ done: true, value: undefined })
  })
})

test('a listener that was removed is not called', () => {
  const { live } = started()
  const states: string[] = []
  const remove = live.on('state', (state) => states.push(state))
  SteeredSocket.last.accept()
  remove()
  live.close()
  expect(states).toEqual(['live'])
})
