import { expect, test } from 'vitest'
import { FarmError, type FarmFailure } from '../../handlers/farm-error.ts'
import {
  isRetryable,
  Problem,
  type ProblemCode,
  problemBody,
  problemOf,
  problemStatus,
} from '../../handlers/problem.ts'

const failures: readonly [FarmFailure, number, string, boolean, RegExp][] = [
  [{ kind: 'unavailable' }, 503, 'game_unavailable', true, /not reachable/],
  [
    { kind: 'unavailable', because: 'key_refused' },
    503,
    'game_unavailable',
    true,
    /refuses the key .*GAME_API_KEY/,
  ],
  [
    { kind: 'unavailable', because: 'rate_limited', retryAfter: 30 },
    503,
    'game_unavailable',
    true,
    /limits how often .* in 30 s$/,
  ],
  [
    { kind: 'unavailable', of: 'records' },
    503,
    'game_unavailable',
    true,
    /^The records of the farm are not reachable$/,
  ],
  [
    { kind: 'timeout', write: true, of: 'records' },
    504,
    'game_timeout',
    false,
    /^The records of the farm did not answer; whether the change was made is unknown$/,
  ],
  [{ kind: 'not_ready' }, 503, 'server_not_ready', true, /server not ready/i],
  [{ kind: 'timeout', write: true }, 504, 'game_timeout', false, /whether the change was made is unknown$/],
  [{ kind: 'invalid_argument', sentence: 'No' }, 400, 'invalid_parameter', false, /^No$/],
  [{ kind: 'timeout', write: false }, 504, 'game_timeout', true, /in time$/],
  [{ kind: 'bad_response', detail: 'secret detail' }, 502, 'bad_game_response', false, /^((?!detail).)*$/],
  [
    { kind: 'bad_response', detail: 'x' },
    502,
    'bad_game_response',
    false,
    /^The game server answered something that is not its API$/,
  ],
  [
    { kind: 'bad_response', detail: 'x', write: false },
    502,
    'bad_game_response',
    false,
    /^The game server answered something that is not its API$/,
  ],
  [
    { kind: 'bad_response', detail: 'x', write: true },
    502,
    'bad_game_response',
    false,
    /not its API; whether the change was made is unknown$/,
  ],
  [{ kind: 'unsupported', what: 'fly' }, 501, 'unsupported', false, /^This game server cannot fly/],
  [{ kind: 'unsupported', by: 'farmgate', what: 'fly' }, 501, 'unsupported', false, /^farmgate cannot fly/],
  [{ kind: 'farmhand_not_found', label: "'X'" }, 404, 'farmhand_not_found', false, /Farmhand 'X' not found/],
  [
    { kind: 'farmhand_online', label: "'X'", change: 'delete' },
    409,
    'farmhand_online',
    false,
    /currently online/,
  ],
  [{ kind: 'player_not_found', label: 'id=1' }, 404, 'player_not_found', false, /Player id=1 not found/],
  [{ kind: 'save_in_progress' }, 409, 'save_in_progress', true, /save is in progress/],
  [{ kind: 'players_connected', count: 2 }, 409, 'players_connected', false, /2 player/],
  [
    { kind: 'players_connected' },
    409,
    'players_connected',
    false,
    /^Cannot determine whether players are connected; disconnect all players first$/,
  ],
]

test.each(failures)('a game that fails with %j is %i %s', (failure, status, code, retry, words) => {
  const problem = problemOf(failure)
  expect([problem.status, problem.code]).toEqual([status, code])
  expect(problem.message).toMatch(words)
  expect(problemBody(problem)).toEqual({
    success: false,
    error: problem.message,
    code,
    ...(retry && { retry: true }),
  })
  expect(problem.details.retryAfter !== undefined).toBe(retry)
})

test('for a game that answers 429, Retry-After is that of the game', () => {
  const { details } = problemOf({ kind: 'unavailable', because: 'rate_limited', retryAfter: 30 })
  expect(details.retryAfter).toBe(30)
})

test('the codes after which the same request can succeed a little later', () => {
  const codes = Object.keys(problemStatus) as ProblemCode[]
  expect(codes.filter(isRetryable)).toEqual([
    'save_in_progress',
    'settings_changed',
    'saves_locked',
    'rate_limited',
    'issuer_unavailable',
    'updates_unavailable',
    'game_unavailable',
    'server_not_ready',
    'not_configured',
    'too_many_clients',
    'host_unavailable',
    'ticket_service_unavailable',
    'game_timeout',
  ])
})

test('a problem has members only where they say something', () => {
  expect(problemBody(new Problem('unauthorized', 'No'))).toStrictEqual({
    success: false,
    error: 'No',
    code: 'unauthorized',
  })
})

test('errors have names that distinguish them in a log', () => {
  expect([new Problem('not_found', 'No').name, new FarmError({ kind: 'not_ready' }).name]).toEqual([
    'Problem',
    'FarmError',
  ])
})

test('the error body names the parameter at fault and the unknown route', () => {
  expect(problemBody(new Problem('invalid_parameter', 'Wrong', { parameter: 'fps' }))).toEqual({
    success: false,
    error: 'Wrong',
    code: 'invalid_parameter',
    parameter: 'fps',
  })
  expect(problemBody(new Problem('not_found', 'Not found', { path: '/x' }))).toEqual({
    success: false,
    error: 'Not found',
    code: 'not_found',
    path: '/x',
  })
})

test.each([
  [400, 'invalid_parameter'],
  [401, 'unauthorized'],
  [403, 'origin_not_allowed'],
  [404, 'not_found'],
  [404, 'player_not_found'],
  [404, 'farmhand_not_found'],
  [405, 'method_not_allowed'],
  [409, 'farmhand_online'],
  [409, 'save_in_progress'],
  [409, 'ambiguous_name'],
  [409, 'players_connected'],
  [413, 'payload_too_large'],
  [414, 'uri_too_long'],
  [431, 'headers_too_large'],
  [426, 'upgrade_required'],
  [429, 'rate_limited'],
  [500, 'internal_error'],
  [501, 'unsupported'],
  [502, 'bad_game_response'],
  [503, 'game_unavailable'],
  [503, 'server_not_ready'],
  [503, 'not_configured'],
  [504, 'game_timeout'],
] as const)('%i is %s', (status, code) => {
  expect(problemStatus[code]).toBe(status)
  expect(new Problem(code, 'x').status).toBe(status)
})
