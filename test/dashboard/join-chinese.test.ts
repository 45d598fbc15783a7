/** Every sentence of `GET /join`, and of a cause, has a Chinese one on the page. */
import { expect, test } from 'vitest'
import { clockFinding, withClock } from '../../client/findings.ts'
import { chinese, chineseOf } from '../../dashboard/views/doctor/join-chinese.ts'
import { causeCodes, causeSentence } from '../../handlers/cause.ts'
import { status } from '../../handlers/endpoints/status.ts'
import { type JoinFacts, joinReport } from '../../handlers/join.ts'

const day: JoinFacts = { moment: 'day', status: status.example, brokenMods: 0 }
const { inviteCode: _any, steamInviteCode: _steam, gogInviteCode: _gog, ...withoutCode } = status.example
const of = (more: Partial<JoinFacts>): JoinFacts => ({ ...day, ...more })
const coded = (connectionStatusCode: string) => of({ status: { ...status.example, connectionStatusCode } })
const phased = (phase: string) => of({ moment: 'no_farm', status: { ...status.example, phase } })

const all: readonly JoinFacts[] = [
  day,
  ...(['offline', 'starting', 'frozen', 'no_farm', 'night'] as const).map((moment) => of({ moment })),
  ...['downloading', 'validating', 'starting', 'polishing'].map(phased),
  ...['ready', 'steamSessionDown', 'reconnecting', 'steamRelayPending', 'inviteUnavailable', 'new'].map(
    coded,
  ),
  ...causeCodes.map((cause) => of({ cause })),
  of({ status: { ...withoutCode, isReady: false, playerCount: 10, gameVersion: '' } }),
  of({ connections: { steamSession: 'lost', galaxyLobby: 'down' } }),
  of({ connections: { steamSession: 'connected', steamRelayReady: true, authReadiness: 'unavailable' } }),
  of({ signIn: 'unreachable', password: { enabled: false, pendingCount: 0 } }),
  of({ signIn: { isSignedIn: false, daysLeft: 1 }, password: { enabled: true, pendingCount: 0 } }),
  of({
    signIn: { isSignedIn: true, daysLeft: 1 },
    password: { enabled: true, pendingCount: 2 },
    brokenMods: 3,
  }),
]
const said = new Set([
  ...causeCodes.flatMap((code) => Object.values(causeSentence(code))),
  ...all.flatMap((facts) =>
    [0, 60_000, -60_000].flatMap((ahead) => {
      const report = joinReport(facts)
      const { checks } = withClock(report, clockFinding(ahead))
      return [...report.checks, ...checks].flatMap(({ message, next = [] }) => [message, next].flat())
    }),
  ),
])

test('each sentence has a Chinese one, with the same numbers and names, and no other is kept', () => {
  expect([...said].filter((sentence) => chineseOf(sentence) === undefined)).toEqual([])
  const keys = new Set([...said].map((sentence) => sentence.replace(/“[^”]*”|\d+(?:\.\d+)*/g, '#')))
  expect(Object.keys(chinese).filter((sentence) => !keys.has(sentence))).toEqual([])
  expect(chineseOf('3 of 8 players are on the farm.')).toBe('农场在线人数：3/8。')
  expect(chineseOf('The game server reports “moonPhase”.')).toBe('游戏服务器报告：“moonPhase”。')
})

test('a sentence of a later farm has none', () => {
  expect(chineseOf('The moon is full.')).toBeUndefined()
})
