import { expect, test } from 'vitest'
import { status } from '../../handlers/endpoints/status.ts'
import { type JoinFacts, joinChecks, joinReport } from '../../handlers/join.ts'

const good: JoinFacts = {
  moment: 'day',
  status: { ...status.example, connectionStatusCode: 'ready' },
  connections: { steamRelayReady: true, steamSession: 'connected' },
  signIn: { isSignedIn: true, daysLeft: 100 },
  password: { enabled: true, pendingCount: 0 },
  brokenMods: 0,
}
const coded = (connectionStatusCode: string): Partial<JoinFacts> => ({
  status: { ...good.status, connectionStatusCode },
})
const phase = (name: string): Partial<JoinFacts> => ({
  moment: 'no_farm',
  status: { ...good.status, phase: name },
})
const without = {
  ...good.status,
  inviteCode: undefined,
  steamInviteCode: undefined,
  gogInviteCode: undefined,
}

test('where all is well no check is wrong, and they are in order', () => {
  const { checks, first } = joinReport(good)
  expect(checks.map(({ check }) => check)).toEqual(joinChecks)
  expect(checks.filter(({ state }) => state !== 'ok').map(({ check }) => check)).toEqual(['clock'])
  expect(first).toBeUndefined()
})

test.each([
  ['starting', coded('starting'), 'process', /is starting/],
  ['downloading', phase('downloading'), 'process', /is downloading the game/],
  ['validating', phase('validating'), 'process', /is checking the game's files/],
  ['the phase starting', phase('starting'), 'process', /is starting/],
  ['an unknown phase', phase('polishing'), 'process', /“polishing”/],
  ['a phase named as a member of every object', phase('constructor'), 'process', /“constructor”/],
  ['a code named as one', coded('constructor'), 'relay', /“constructor”/],
  ['steamSessionDown', coded('steamSessionDown'), 'sign_in', /lost its Steam session/],
  ['steamRelayPending', coded('steamRelayPending'), 'relay', /Steam cannot yet/],
  ['reconnecting', coded('reconnecting'), 'relay', /connects to Steam/],
  ['inviteUnavailable', coded('inviteUnavailable'), 'invite_code', /no invite code/],
  ['an unknown code', coded('moonPhase'), 'relay', /“moonPhase”/],
  ['a stopped process', { moment: 'offline', cause: 'process_stopped' }, 'process', /is stopped/],
  ['an offline game', { moment: 'offline' }, 'process', /does not answer/],
  ['a refused key', { moment: 'starting', cause: 'key_refused' }, 'process', /GAME_API_KEY/],
  ['a frozen game', { moment: 'frozen' }, 'process', /frozen/],
  ['no farm', { moment: 'no_farm' }, 'process', /no farm loaded/],
  ['a night', { moment: 'night' }, 'night', /night is being saved/],
  ['a festival', { status: { ...good.status, isReady: false } }, 'night', /festival/],
  [
    'a ticket service that does not answer',
    { signIn: 'unreachable' },
    'sign_in',
    /ticket service does not answer/,
  ],
  ['no sign-in', { signIn: { isSignedIn: false, daysLeft: 3 } }, 'sign_in', /not signed in/],
  ['a token that has ended', { signIn: { isSignedIn: true, daysLeft: 0 } }, 'sign_in', /not signed in/],
  ['a lost session', { connections: { steamSession: 'lost' } }, 'sign_in', /lost its Steam session/],
  [
    'a lobby that is down',
    { connections: { steamSession: 'connected', galaxyLobby: 'down' } },
    'relay',
    /Galaxy is down/,
  ],
  [
    'a relay that is not there',
    { connections: { steamSession: 'connected', steamRelayReady: false } },
    'relay',
    /Steam cannot yet/,
  ],
  ['no invite code', { status: without }, 'invite_code', /no invite code/],
  ['a full farm', { status: { ...good.status, playerCount: 10 } }, 'player_limit', /10 of 10/],
  [
    'a join password that is not typed',
    { password: { enabled: true, pendingCount: 2 } },
    'password',
    /join password: 2/,
  ],
  ['mods that do not load', { brokenMods: 3 }, 'versions', /does not load: 3/],
] as const satisfies readonly (readonly [string, object, string, RegExp])[])(
  '%s: it is the first that is wrong, with a sentence and a next step',
  (_case, facts, first, message) => {
    const report = joinReport({ ...good, ...(facts as Partial<JoinFacts>) })
    expect(report.first).toBe(first)
    expect(report.checks.find(({ check }) => check === first)).toMatchObject({
      state: 'wrong',
      message: expect.stringMatching(message),
      next: expect.stringMatching(/\.$|ticket login$/),
    })
  },
)

test('what is not known is unknown, not well and not wrong', () => {
  const { checks, first } = joinReport({ moment: 'day', status: status.example })
  const unknown = checks.filter(({ state }) => state === 'unknown').map(({ check }) => check)
  expect([unknown, first]).toEqual([['sign_in', 'clock', 'relay', 'password'], undefined])
})
