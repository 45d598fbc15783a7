/** Each message of `/ws` has an example that its schema, and no other, accepts. */

import { readFileSync } from 'node:fs'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { messageCatalogue } from '../../../handlers/chat/catalogue.ts'
import { topicOfEvent } from '../../../handlers/chat/messages.ts'
import { closings, errorMeanings, limits } from '../../../handlers/chat/reference.ts'
import { cabins } from '../../../handlers/endpoints/cabins.ts'
import { players } from '../../../handlers/endpoints/players.ts'
import { status } from '../../../handlers/endpoints/status.ts'
import { spoiled } from '../spoiled.ts'

const messageOf = (type: string) =>
  messageCatalogue.find((message) => message.type === type) ?? expect.fail(type)
const payloadOf = (type: string) => messageOf(type).payload ?? expect.fail(`${type} has no payload`)
const [player] = players.example.players
const seq = 1795262400000001
const timestamp = '2026-11-21T12:00:00.000Z'
const date = { day: 5, season: 'spring', year: 1 }
const events = {
  player_joined: { player },
  player_left: { player },
  player_changed: { player },
  'player.unlisted': { player },
  status_changed: { status: status.example },
  'game.wrong_farm': {
    kind: 'other_farm',
    expected: { name: 'Clover', number: '123456789', season: 'summer', day: 5, year: 1 },
    found: { name: 'Junimo' },
    since: timestamp,
  },
  day_started: date,
  season_started: { season: 'fall', year: 2 },
  ready_changed: { isReady: true },
  rendering_changed: { fps: 15 },
  cabin_changed: { cabins: cabins.example },
}

test('the catalogue has every message, with its sender', () => {
  expect(messageCatalogue.map(({ type, from }) => `${from}: ${type}`)).toEqual([
    'client: auth',
    'client: ping',
    'client: chat_send',
    'client: subscribe',
    'server: auth_success',
    'server: auth_failed',
    'server: pong',
    'server: chat',
    'server: chat_sent',
    'server: gap',
    'server: missed',
    'server: subscribed',
    'server: snapshot',
    'server: event',
    'server: error',
  ])
})

test('messages without a payload consist of their type only', () => {
  expect(messageCatalogue.filter(({ payload }) => payload === undefined).map(({ type }) => type)).toEqual([
    'ping',
    'auth_success',
    'pong',
  ])
})

describe.each(messageCatalogue.map((message) => [message.type, message] as const))('%s', (type, message) => {
  const { summary, payload, example } = message

  test('has a description, with an example of that type', () => {
    expect(summary).toMatch(/^[A-Z].+[^.]$/)
    expect(example['type']).toBe(type)
    expect('payload' in example).toBe(payload !== undefined)
  })

  if (payload !== undefined)
    test('has an example that fits, and none of its members can have another type', () => {
      expect(v.safeParse(payload, example['payload']).issues).toBeUndefined()
      for (const [way, copy] of spoiled(example['payload']))
        expect([way, v.is(payload, copy)]).toEqual([way, false])
    })

  test('shows no empty text in its example', () => {
    const texts = (value: unknown): unknown[] =>
      typeof value === 'object' && value !== null ? Object.values(value).flatMap(texts) : [value]
    for (const shown of texts(example)) expect(shown).not.toBe('')
  })
})

test('the example of auth_failed has its reason twice', () => {
  expect(messageOf('auth_failed').example).toEqual({
    type: 'auth_failed',
    error: 'Invalid token',
    payload: { error: 'Invalid token' },
  })
})

describe('an event', () => {
  test.each(Object.entries(events))(
    '%s has its topic, its members and no others of another type',
    (event, what) => {
      const topic = topicOfEvent[event as keyof typeof events]
      const payload = { topic, event, eventSeq: seq, timestamp, ...what }
      expect(v.safeParse(payloadOf('event'), payload).issues).toBeUndefined()
      for (const other of ['players', 'status', 'cabins'].filter((name) => name !== topic))
        expect(v.is(payloadOf('event'), { ...payload, topic: other })).toBe(false)
      for (const member of Object.keys(payload))
        expect([member, v.is(payloadOf('event'), { ...payload, [member]: Symbol(member) })]).toEqual([
          member,
          false,
        ])
    },
  )
})

test.each([
  ['players', players.example],
  ['status', status.example],
  ['cabins', cabins.example],
] as const)('a snapshot of %s has the answer of its GET endpoint', (topic, data) => {
  const payload = { topic, eventSeq: seq, timestamp, data }
  expect(v.safeParse(payloadOf('snapshot'), payload).issues).toBeUndefined()
  for (const [way, copy] of spoiled(payload))
    expect([way, v.is(payloadOf('snapshot'), copy)]).toEqual([way, false])
})

test('a gap starts at a line, or at null when since was ahead of the numbering', () => {
  expect([null, 5, '5', 1.5].map((from) => v.is(payloadOf('gap'), { from, to: 9 }))).toEqual([
    true,
    true,
    false,
    false,
  ])
})

test("a line of the game's log, and a gap in it, have the topic log", () => {
  for (const [type, what] of [
    ['event', { text: 'a line' }],
    ['gap', { lines: 3 }],
  ] as const)
    for (const topic of ['log', 'players', ''])
      expect([type, topic, v.is(payloadOf(type), { topic, ...what })]).toEqual([type, topic, topic === 'log'])
})

test('an error may name the line that it answers', () => {
  const error = { code: 'rate_limited', error: 'Too fast' }
  expect([7, 'line-1', {}, 1.5].map((id) => v.is(payloadOf('error'), { ...error, id }))).toEqual([
    true,
    true,
    false,
    false,
  ])
})

const page = readFileSync(new URL('../../../docs/bot.md', import.meta.url), 'utf8')

/** The rows of the tables under a heading, without their heads. */
function rowsUnder(heading: string): readonly string[] {
  const section = page.split(/^### /m).find((text) => text.startsWith(`${heading}\n`)) ?? expect.fail(heading)
  return section.split('\n').filter((line, at, lines) => line.startsWith('|') && !isHead(line, lines[at + 1]))
}
const isHead = (line: string, next: string | undefined) => /^\|-/.test(line) || /^\|-/.test(next ?? '')
const row = (...cells: readonly string[]) => `| ${cells.join(' | ')} |`
const code = (text: string) => (text === '' ? '–' : `\`${text}\``)

test('each error with its cause and fix', () => {
  expect(rowsUnder('Errors')).toEqual(
    Object.entries(errorMeanings).map(([name, { cause, cure }]) => row(code(name), cause, cure)),
  )
})

test('each close code with its cause and fix', () => {
  expect(rowsUnder('Close codes')).toEqual(
    closings.map(({ code: number, reason, cause, cure }) => row(String(number), code(reason), cause, cure)),
  )
})

test('each limit', () => {
  expect(rowsUnder('Limits')).toEqual(Object.entries(limits).map(([what, limit]) => row(what, limit)))
})

test('each message of the client and of the server', () => {
  for (const [heading, from] of [
    ['Messages of the client', 'client'],
    ['Messages of the server', 'server'],
  ] as const)
    expect(rowsUnder(heading).map((line) => /`(\w+)`/.exec(line)?.[1])).toEqual(
      messageCatalogue.filter((message) => message.from === from).map(({ type }) => type),
    )
})

test('each event with its topic', () => {
  const named = rowsUnder('Events').flatMap((line) => {
    const [topic = '', events = ''] = line.split('|').slice(1)
    return Array.from(events.matchAll(/`([\w.]+)`/g), ([, event]) => [
      event,
      topic.trim().replaceAll('`', ''),
    ])
  })
  expect(Object.fromEntries(named)).toEqual(topicOfEvent)
})
