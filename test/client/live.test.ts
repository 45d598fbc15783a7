/** The live connection: drops, silence, its state and its copy of the status, without a network. */
import { describe, expect, test, vi } from 'vitest'
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

test('a listener that was removed is not called', () => {
  const { live } = started()
  const states: string[] = []
  const remove = live.on('state', (state) => states.push(state))
  SteeredSocket.last.accept()
  remove()
  live.close()
  expect(states).toEqual(['live'])
})
