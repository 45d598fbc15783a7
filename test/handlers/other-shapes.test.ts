/** The bounds of what other services send to farmgate: the ticket service its set-up, a farm its upkeep. */
import * as v from 'valibot'
import { expect, test } from 'vitest'
import { farmUpkeep } from '../../handlers/farm-upkeep.ts'
import { isGone } from '../../handlers/game-host.ts'
import { setupView } from '../../handlers/setup.ts'

const x = (length: number) => 'x'.repeat(length)
const qr = (url: string) => ({ url, expiresAt: '2026-11-21T12:00:00Z' })
const download = { bytes: 0, totalBytes: 1, bytesPerSecond: 1, secondsLeft: null }
const codes = [
  ...['qr_expired', 'denied', 'wrong_account', 'refused', 'steam_offline', 'steam_rate_limited'],
  ...['disk_full', 'not_saved', 'download_failed'],
]

test('the state of the set-up is one of six, with its account, QR code, download, sentence and code', () => {
  for (const state of ['sign_in', 'waiting', 'no_licence', 'downloading', 'installed', 'failed'])
    expect(v.is(setupView, { state })).toBe(true)
  const takes = (more: object) => v.is(setupView, { state: 'waiting', ...more })
  for (const code of codes) expect([code, takes({ code })]).toEqual([code, true])
  const taken = [
    ...[{ account: x(64) }, { error: x(1000) }, { download }, { download: { ...download, secondsLeft: 0 } }],
    { qr: qr('https://s.team/q/1/2?a=b&c.d-') },
  ]
  expect(taken.filter((more) => !takes(more))).toEqual([])
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
  expect(refused.filter(takes)).toEqual([])
})

test('the upkeep of a farm has its version, and marks only where something is wrong', () => {
  const takes = (more: object) => v.is(farmUpkeep, { version: '0.3.0', ...more })
  const last = Number.MAX_SAFE_INTEGER
  const taken = [
    ...[{}, { version: x(64) }, { nightStuck: true }, { backups: {} }, { steam: {} }],
    ...[{ backups: { lastAt: 0, failing: true } }, { steam: { signedOut: true, endsAt: last } }],
  ]
  expect(taken.filter((more) => !takes(more))).toEqual([])
  const refused = [
    ...[{ version: x(65) }, { version: undefined }, { nightStuck: false }, { backups: 1 }, { steam: 1 }],
    ...[{ backups: { lastAt: -1 } }, { backups: { failing: false } }],
    ...[{ steam: { signedOut: false } }, { steam: { endsAt: last + 1 } }],
  ]
  expect(refused.filter(takes)).toEqual([])
})

test('a game has no process after it has stopped or crashed, and only then', () => {
  const states = ['running', 'starting', 'stopping', 'stopped', 'crashed', 'unknown'] as const
  expect(states.filter(isGone)).toEqual(['stopped', 'crashed'])
})
