import { expect, test } from 'vitest'
import { badge } from '../../handlers/badge.ts'
import { status } from '../../handlers/endpoints/status.ts'
import { neverSeen } from '../../handlers/game-records.ts'

const { example } = status
const shown = (svg: string) => /<title>(.*)<\/title>/.exec(svg)?.[1]

test('the badge shows farm, day, players and `open`', () => {
  expect(shown(badge(example, 'day'))).toBe('Junimo: spring 5, year 1 · 2/10 players · open')
})

test.each([
  ['a night', example, 'night'],
  ['a frozen game', example, 'frozen'],
  ['an offline game', example, 'offline'],
  ['a festival', { ...example, isReady: false }, 'day'],
  ['a game that Steam cannot reach yet', { ...example, connectionStatusCode: 'steamRelayPending' }, 'day'],
] as const)('%s is `not open`', (_case, now, moment) => {
  expect(shown(badge(now, moment))).toMatch(/ · not open$/)
})

test('the badge of a game that was never seen has no day', () => {
  expect(shown(badge(neverSeen, 'offline'))).toBe('Farm: 0/0 players · not open')
})

test("a farm's name of any characters is text of the picture, and of bounded length", () => {
  const named = (farmName: string) => badge({ ...example, farmName }, 'day')
  expect(named('<script>&"\u0000\u202e\ufffe\ud800x')).toContain('<title>&#60;script&#62;&#38;&#34;x: ')
  expect(shown(named('🐔'.repeat(1000)))).toMatch(/^(🐔){32}: /u)
})
