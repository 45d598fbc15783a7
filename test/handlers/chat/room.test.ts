/** Which clients are sent which chat lines, in which order; without a socket. */

import { describe, expect, test } from 'vitest'
import { ChatHistory } from '../../../handlers/chat/history.ts'
import { aRoom, first, key, open, payloads, types } from './a-room.ts'

const messages = (client: Parameters<typeof payloads>[0]) =>
  payloads(client, 'chat').map(({ message }) => message)

test('unauthenticated clients are sent nothing', () => {
  const { enter, line } = aRoom()
  const client = enter()
  line('for members only')
  expect(client.heard).toEqual([])
})

test('after auth_success a client is sent every line, numbered one by one', () => {
  const { authenticated, line, counts } = aRoom()
  const client = authenticated()
  line('one')
  line('two')
  expect(types(client)).toEqual(['auth_success', 'chat', 'chat'])
  expect(payloads(client, 'chat').map(({ seq }) => seq)).toEqual([first, first + 1])
  expect(counts.linesRelayed.total).toBe(2)
})

test('without a key set a client is sent the chat at once', () => {
  const { enter, line } = aRoom({ keyRequired: false })
  const client = enter()
  line('to everyone')
  expect(messages(client)).toEqual(['to everyone'])
})

test('no auth in time: auth_failed, close 1008', () => {
  const { room, enter } = aRoom()
  const client = enter()
  room.authOverdue(client)
  expect([types(client), client.closed]).toEqual([
    ['auth_failed'],
    { code: 1008, reason: 'Authentication timeout' },
  ])
})

test('a wrong key is counted for the address that sent it', () => {
  const judged: unknown[] = []
  const { enter, send } = aRoom({
    verify: (...shown) => {
      judged.push(shown)
      return 'wrong'
    },
  })
  const client = enter()
  send(client, { type: 'auth', payload: { token: 'a guess' } })
  expect([judged, client.closed?.code]).toEqual([[['a guess', '192.0.2.1']], 1008])
})

test('since: missed lines come right after auth_success, in order, before the live ones', () => {
  const { authenticated, line } = aRoom()
  for (const text of ['known', 'missed 1', 'missed 2']) line(text)
  const client = authenticated({ since: first })
  line('live')
  expect(types(client)).toEqual(['auth_success', 'chat', 'chat', 'chat'])
  expect(messages(client)).toEqual(['missed 1', 'missed 2', 'live'])
})

test('a gap comes first for lines that are no longer kept', () => {
  const { authenticated, line } = aRoom()
  line('held')
  const client = authenticated({ since: 1000 })
  expect(client.heard[1]).toEqual({ type: 'gap', payload: { from: 1001, to: first - 1 } })
  expect(messages(client)).toEqual(['held'])
})

test('a gap stands for lines lost in a kill of the process, between the lines before and after them', () => {
  const text = (seq: number) => JSON.stringify({ type: 'chat', payload: { message: 'kept', seq } })
  const kept = [first - 12, first - 11].map((seq) => ({ seq, text: text(seq) }))
  const { authenticated, line } = aRoom({}, new ChatHistory(first, kept))
  line('new')
  expect(authenticated({ since: first - 12 }).heard.slice(1)).toMatchObject([
    { type: 'chat', payload: { seq: first - 11 } },
    { type: 'gap', payload: { from: first - 10, to: first - 1 } },
    { type: 'chat', payload: { seq: first } },
  ])
})

const outage = { from: '2026-11-21T12:00:00.000Z', to: '2026-11-21T12:05:00.000Z' }

test('after an outage a client that has used since or subscribe is sent missed once; any other is sent no new message', () => {
  const { authenticated, send, missed, line } = aRoom({ players: async () => ({ players: [], version: 1 }) })
  const [old, since, subscribed] = [authenticated(), authenticated({ since: 'now' }), authenticated()]
  send(subscribed, { type: 'subscribe', payload: { topics: ['players'] } })
  missed(outage.from, outage.to)
  line('after')
  expect(types(old)).toEqual(['auth_success', 'chat'])
  for (const client of [since, subscribed]) expect(payloads(client, 'missed')).toEqual([outage])
  expect(types(since)).toEqual(['auth_success', 'missed', 'chat'])
})

test('a client that connects again is sent the outages after its since, each at its place among the lines', () => {
  const { authenticated, missed, line } = aRoom()
  const later = { from: outage.to, to: '2026-11-21T12:10:00.000Z' }
  line('one')
  missed(outage.from, outage.to)
  line('two')
  missed(later.from, later.to)
  expect(types(authenticated({ since: first - 1 })).slice(1)).toEqual(['chat', 'missed', 'chat', 'missed'])
  expect(payloads(authenticated({ since: first }), 'missed')).toEqual([outage, later])
  expect(payloads(authenticated({ since: first + 1 }), 'missed')).toEqual([later])
  for (const since of ['now', first + 2]) expect(payloads(authenticated({ since }), 'missed')).toEqual([])
})

test('the newest 20 outages are kept', () => {
  const { authenticated, missed } = aRoom()
  const at = (minute: number) => new Date(Date.UTC(2026, 10, 21, 12, minute)).toISOString()
  for (let minute = 0; minute < 21; minute += 1) missed(at(minute), at(minute + 1))
  const sent = payloads(authenticated({ since: first - 1 }), 'missed').map(({ from }) => from)
  expect(sent).toEqual(Array.from({ length: 20 }, (_, minute) => at(minute + 1)))
})

test('a since greater than every seq: gap from null to the newest, and no line twice', () => {
  const { authenticated, line } = aRoom()
  line('perhaps heard')
  const client = authenticated({ since: first + 1 })
  line('live')
  expect(client.heard.slice(1)).toEqual([
    { type: 'gap', payload: { from: null, to: first } },
    expect.objectContaining({ type: 'chat' }),
  ])
  expect(messages(client)).toEqual(['live'])
})

test('a client that stays connected while the room is restored is sent the next lines, none twice', () => {
  const { resumed, line, send } = aRoom()
  line('heard before')
  const client = resumed({ session: open, firstSeq: first, topics: [], awaited: [] })
  line('after')
  send(client, { type: 'auth', payload: { token: key, since: first - 1 } })
  expect(messages(client)).toEqual(['after'])
})

test('a client that has left is sent nothing more', () => {
  const { room, authenticated, line } = aRoom()
  const client = authenticated()
  room.leave(client)
  line('too late')
  expect([messages(client), room.clients.size]).toEqual([[], 0])
})

test('a client that was closed is sent nothing more, and its messages are ignored', () => {
  const { room, authenticated, line, send } = aRoom()
  const client = authenticated()
  room.close(client, 1013, 'Too slow')
  line('too late')
  send(client, { type: 'ping' })
  expect([types(client), client.closed]).toEqual([['auth_success'], { code: 1013, reason: 'Too slow' }])
})

test('protocol pings of an unauthenticated client are counted: the sixth closes it', () => {
  const { room, enter } = aRoom()
  const client = enter()
  for (let ping = 0; ping < 5; ping += 1) room.heardPing(client)
  expect(client.closed).toBeUndefined()
  room.heardPing(client)
  expect(client.closed).toEqual({ code: 1008, reason: 'Authenticate first' })
})

test('protocol pings of an authenticated client are counted by the clock', () => {
  const { room, clock, authenticated } = aRoom()
  const client = authenticated()
  for (let ping = 0; ping < 60; ping += 1) room.heardPing(client)
  expect(types(client)).toEqual(['auth_success'])
  room.heardPing(client)
  clock.now += 1000
  room.heardPing(client)
  expect(types(client)).toEqual(['auth_success', 'error'])
})

test('a second auth with since sends only the lines from before the client joined', () => {
  const { authenticated, line, send } = aRoom()
  line('before')
  const client = authenticated()
  for (const text of ['one', 'two']) line(text)
  for (let again = 0; again < 2; again += 1)
    send(client, { type: 'auth', payload: { token: key, since: first - 1 } })
  expect(messages(client)).toEqual(['one', 'two', 'before', 'before'])
})

test('a binary frame closes 1003', () => {
  const { room, authenticated } = aRoom()
  const client = authenticated()
  room.heardBinary(client)
  expect(client.closed?.code).toBe(1003)
})

describe('skipped numbers', () => {
  test('are reported by gap to a client that has used since, in order between the lines', () => {
    const { authenticated, line, skipTo } = aRoom()
    const [old, resuming] = [authenticated(), authenticated({ since: first - 1 })]
    line('one')
    skipTo(first + 10)
    line('two')
    const missing = { type: 'gap', payload: { from: first + 1, to: first + 9 } }
    const chat = (seq: number) =>
      expect.objectContaining({ type: 'chat', payload: expect.objectContaining({ seq }) })
    expect(old.heard.slice(1)).toEqual([chat(first), chat(first + 10)])
    expect(resuming.heard.slice(1)).toEqual([chat(first), missing, chat(first + 10)])
  })

  test('are reported once to a client that returns before the next line', () => {
    const { authenticated, line, skipTo } = aRoom()
    line('one')
    skipTo(first + 10)
    const client = authenticated({ since: first })
    line('two')
    expect(types(client)).toEqual(['auth_success', 'gap', 'chat'])
  })
})

describe('a since above all lines, which only the farm can confirm', () => {
  const aheadBy = (given: number) => {
    const lines = new ChatHistory(first)
    const missed = (since: number, before: number) =>
      since >= lines.next ? undefined : lines.missed(since, before)
    const missing = {
      get next() {
        return lines.next
      },
      missed,
    }
    const room = aRoom({ lines: missing }, lines)
    room.line('one')
    const client = room.authenticated({ since: first + given })
    return { ...room, client, seqs: () => payloads(client, 'chat').map(({ seq }) => Number(seq) - first) }
  }

  test('is sent no line up to it, and every later one', () => {
    const { line, client, seqs, room } = aheadBy(2)
    for (const message of ['two', 'three', 'four', 'five']) line(message)
    room.numbersKnown(first + 5)
    expect([types(client), seqs()]).toEqual([
      ['auth_success', 'chat', 'chat'],
      [3, 4],
    ])
  })

  test('that the farm never gave out is answered by gap from null to the newest, and the next lines', () => {
    const { line, client, room, seqs } = aheadBy(2)
    room.numbersKnown(first + 3)
    line('two')
    expect(types(client)).toEqual(['auth_success'])
    room.numbersKnown(first + 2)
    line('three')
    expect(payloads(client, 'gap')).toEqual([{ from: null, to: first + 1 }])
    expect([seqs(), client.state.firstSeq]).toEqual([[2], first + 2])
  })

  test('is sent a gap over the skipped numbers after it', () => {
    const { line, client, skipTo, seqs } = aheadBy(2)
    skipTo(first + 10)
    line('two')
    expect([payloads(client, 'gap'), seqs()]).toEqual([[{ from: first + 3, to: first + 9 }], [10]])
    expect(client.state).toMatchObject({ firstSeq: first + 10 })
  })

  test('makes no gap over the numbers up to it, and stays undecided at the last of those', () => {
    const { line, client, skipTo, seqs } = aheadBy(2)
    skipTo(first + 3)
    line('two')
    expect([types(client), seqs()]).toEqual([['auth_success', 'chat'], [3]])
  })

  test('of a client that is in the chat is answered at once', () => {
    const { line, send, authenticated } = aheadBy(2)
    const client = authenticated()
    send(client, { type: 'auth', payload: { token: key, since: first + 5 } })
    line('two')
    expect(types(client)).toEqual(['auth_success', 'auth_success', 'gap', 'chat'])
  })

  test('stays undecided over hibernation and until the client leaves', () => {
    const { room, client, line, resumed } = aheadBy(2)
    expect(client.state.ahead).toBe(first + 2)
    const woken = resumed(client.state)
    room.leave(client)
    room.numbersKnown(0)
    line('two')
    expect([types(client), types(woken)]).toEqual([['auth_success'], ['gap', 'chat']])
  })
})
