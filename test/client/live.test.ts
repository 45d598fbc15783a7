/** The live connection: its state and its copy of the status, without a network. */
import { describe, expect, test } from 'vitest'
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

  test('has the state away while the status says that the game is offline', () => {
    const { live } = started()
    SteeredSocket.last.accept()
    SteeredSocket.last.deliver('snapshot', {
      topic: 'status',
      eventSeq: 1,
      data: { ...status, isOnline: false },
    })
    expect(live.state).toBe('away')
    SteeredSocket.last.deliver('event', { topic: 'status', event: 'status_changed', eventSeq: 2, status })
    expect(live.state).toBe('live')
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
