/** The bounds of what one part of farmgate sends to another, such as a farm its upkeep to the edge. */
import * as v from 'valibot'
import { expect, test } from 'vitest'
import { begunWrite, fleetChange, writeEnd } from '../../handlers/audit-entry.ts'
import { farmUpkeep } from '../../handlers/farm-upkeep.ts'
import { farmName } from '../../handlers/fleet.ts'
import { isGone } from '../../handlers/game-host.ts'
import { cookieSeparator, redirect } from '../../handlers/redirect.ts'
import { setupView } from '../../handlers/setup.ts'

const x = (length: number) => 'x'.repeat(length)

/** Expects that a schema takes a record with each change of the one list, and with none of the other. */
function takesOnly(
  schema: v.GenericSchema,
  record: object,
  taken: readonly object[],
  refused: readonly object[],
) {
  const takes = (more: object) => v.is(schema, { ...record, ...more })
  expect(taken.filter((more) => !takes(more))).toEqual([])
  expect(refused.filter(takes)).toEqual([])
}

const qr = (url: string) => ({ url, expiresAt: '2026-11-21T12:00:00Z' })
const download = { bytes: 0, totalBytes: 1, bytesPerSecond: 1, secondsLeft: null }
const codes = [
  ...['qr_expired', 'denied', 'wrong_account', 'refused', 'steam_offline', 'steam_rate_limited'],
  ...['disk_full', 'not_saved', 'download_failed'],
]

test('the state of the set-up is one of six, with its account, QR code, download, sentence and code', () => {
  const states = ['sign_in', 'waiting', 'no_licence', 'downloading', 'installed', 'failed']
  const taken = [
    ...[...states.map((state) => ({ state })), ...codes.map((code) => ({ code }))],
    ...[{ account: x(64) }, { error: x(1000) }, { download }, { download: { ...download, secondsLeft: 0 } }],
    { qr: qr('https://s.team/q/1/2?a=b&c.d-') },
  ]
  const refused = [
    ...[{ state: '' }, { code: '' }, { account: x(65) }, { error: x(1001) }, { download: {} }, { qr: {} }],
    ...[{ download: { ...download, bytes: -1 } }, { download: { ...download, bytes: 0.5 } }],
    ...[
      'http://s.team/q',
      'https://s.team/',
      'xhttps://s.team/q',
      'https://s.team/q"',
      'https://s.team/"q',
    ].map((url) => ({ qr: qr(url) })),
    { qr: qr(`https://s.team/${x(186)}`) },
  ]
  takesOnly(setupView, { state: 'waiting' }, taken, refused)
})

test('the upkeep of a farm has its version, and marks only where something is wrong', () => {
  const last = Number.MAX_SAFE_INTEGER
  const taken = [
    ...[{}, { version: x(64) }, { nightStuck: true }, { backups: {} }, { steam: {} }],
    ...[{ backups: { lastAt: 0, failing: true } }, { steam: { signedOut: true, endsAt: last } }],
  ]
  const refused = [
    ...[{ version: x(65) }, { version: undefined }, { nightStuck: false }, { backups: 1 }, { steam: 1 }],
    ...[{ backups: { lastAt: -1 } }, { backups: { failing: false } }],
    ...[{ steam: { signedOut: false } }, { steam: { endsAt: last + 1 } }],
  ]
  takesOnly(farmUpkeep, { version: '0.3.0' }, taken, refused)
})

test('a game has no process after it has stopped or crashed, and only then', () => {
  const states = ['running', 'starting', 'stopping', 'stopped', 'crashed', 'unknown'] as const
  expect(states.filter(isGone)).toEqual(['stopped', 'crashed'])
})

test('a redirect goes to a web address, and may set a cookie of a sign-in that has begun or of a session', () => {
  const to = (location: string) => ({ location })
  const cookie = (value: string, of = 'session') => ({ cookie: { of, value } })
  const taken = [
    ...['http://a', 'https://a/?b=~!#c', `http://${x(8185)}`].map(to),
    ...[...['-', '_9Z', x(200)].map((value) => cookie(value)), cookie('a', 'attempt')],
  ]
  const refused = [
    ...['', 'http://', 'ftp://a', ' http://a', 'http://a b', 'http://ä', `http://${x(8186)}`].map(to),
    ...['', '.a', 'a.', `a${cookieSeparator}b`, x(201)].map((value) => cookie(value)),
    ...[cookie('a', ''), { cookie: {} }],
  ]
  takesOnly(redirect, to('https://a/'), taken, refused)
})

const write = { requestId: 'r', address: 'a', action: 'deleteFarm', parameters: {} }

test('a write that begins has short texts, and at most 32,768 characters of parameters', () => {
  const sent = (length: number) => ({ parameters: { value: x(length - '{"value":""}'.length) } })
  const long = ['requestId', 'address', 'action'].map((member) => ({ [member]: x(257) }))
  const refused = [...long, { isCommand: false }, { parameters: 'text' }, sent(32_769)]
  takesOnly(begunWrite, write, [{}, { isCommand: true }, { action: x(256) }, sent(32_768)], refused)
})

test('a write ends in one of four ways, with a status', () => {
  const ways = ['done', 'refused', 'failed', 'unknown'].map((outcome) => ({ outcome }))
  takesOnly(writeEnd, { status: 200 }, ways, [{}, { outcome: 'lost' }, { outcome: 'done', status: 0.5 }])
})

test('a change of the fleet is one of three actions, at a time of a clock', () => {
  const taken = [{}, { action: 'createFarm' }, { action: 'replaceFarmKeys' }, { at: 8.64e15 }]
  const refused = [
    { action: 'setTime' },
    { at: -1 },
    { at: 0.5 },
    { at: 8.64e15 + 1 },
    { parameters: 'text' },
  ]
  takesOnly(fleetChange, { ...write, at: 0, status: 200 }, taken, refused)
})

test('the name of a farm has 1 to 63 small letters, digits and hyphens, and begins with no hyphen', () => {
  const names = ['a', '0', 'a-1', 'a-', x(63), '', '-a', 'A', 'a_b', 'a.', '.a', x(64)]
  expect(names.filter((name) => farmName.test(name))).toEqual(names.slice(0, 5))
})
