import * as v from 'valibot'
import { expect, test } from 'vitest'
import { restartGame } from '../../handlers/endpoints/host-actions.ts'
import {
  FarmError,
  type FarmFailure,
  failureOf,
  farmFailure,
  farmgateCannot,
  noSettingsFile,
} from '../../handlers/farm-error.ts'
import {
  causeOf,
  Problem,
  problemBody,
  problemFrom,
  problemOf,
  problemWithCause,
} from '../../handlers/problem.ts'
import { isRetryable, type ProblemCode, problemTable, statusOf } from '../../handlers/problem-table.ts'

const { operation } = restartGame.example
const sentence = 'Why'
const isUnknown = '; whether the change was made is unknown'
const limited = 'The game server limits how often farmgate may ask; try again in'
const noSpace = 'has only its reserve of free space left. Free some space, or delete old backups.'

type Row = readonly [failure: FarmFailure, sentence: string, retryAfter?: number]
/** With its sentence and the seconds of `Retry-After`, by code. */
const byCode: Partial<Record<ProblemCode, readonly Row[]>> = {
  game_unavailable: [
    [{ kind: 'unavailable' }, 'The game server is not reachable', 5],
    [{ kind: 'unavailable', of: 'records' }, 'The records of the farm are not reachable', 5],
    [{ kind: 'unavailable', of: 'farm' }, 'The farm is not reachable', 5],
    [
      { kind: 'unavailable', because: 'key_refused' },
      'The game server refuses the key that farmgate shows it (GAME_API_KEY)',
      5,
    ],
    [{ kind: 'unavailable', because: 'rate_limited', retryAfter: 30 }, `${limited} 30 s`, 30],
    [{ kind: 'unavailable', because: 'rate_limited' }, `${limited} 5 s`, 5],
  ],
  server_not_ready: [[{ kind: 'not_ready' }, 'Server not ready: no world is loaded or a day is turning', 5]],
  game_timeout: [
    [{ kind: 'timeout', write: false }, 'The game server did not answer in time', 5],
    [{ kind: 'timeout', write: true }, `The game server did not answer${isUnknown}`],
    [{ kind: 'timeout', write: true, of: 'records' }, `The records of the farm did not answer${isUnknown}`],
  ],
  bad_game_response: [
    [{ kind: 'bad_response', detail: 'x' }, 'The game server answered something that is not its API'],
    [
      { kind: 'bad_response', detail: 'x', write: true },
      `The game server answered something that is not its API${isUnknown}`,
    ],
  ],
  invalid_parameter: [[{ kind: 'invalid_argument', sentence }, sentence]],
  unsupported: [
    [{ kind: 'unsupported', what: 'fly' }, 'This game server cannot fly'],
    [farmgateCannot('fly').failure, 'farmgate cannot fly'],
    [noSettingsFile, 'farmgate cannot change the settings: there is no file at SETTINGS_PATH'],
  ],
  farmhand_not_found: [[{ kind: 'farmhand_not_found', label: "'X'" }, "Farmhand 'X' not found"]],
  farmhand_online: (['delete', 'rebind'] as const).map((change) => [
    { kind: 'farmhand_online', label: "'X'", change },
    `Cannot ${change} farmhand 'X' - currently online`,
  ]),
  player_not_found: [[{ kind: 'player_not_found', label: 'id=1' }, 'Player id=1 not found']],
  save_in_progress: [[{ kind: 'save_in_progress' }, 'Cannot change the farm while save is in progress', 5]],
  restore_refused: [[{ kind: 'restore_refused', sentence }, sentence]],
  restore_undone: [[{ kind: 'restore_undone', sentence }, sentence]],
  archive_refused: [[{ kind: 'archive_refused', sentence }, sentence]],
  save_exists: [[{ kind: 'save_exists', sentence }, sentence]],
  save_refused: [[{ kind: 'save_refused', sentence }, sentence]],
  host_undecided: [
    [
      { kind: 'host_undecided', host: { name: 'Robin', isServer: false } },
      'Robin has hosted this save. hostTo=<Steam64 or GOG id> keeps the farmer for that person; hostTo=server has the server take it over for good.',
    ],
  ],
  issuer_unavailable: [[{ kind: 'issuer_unavailable', sentence }, sentence, 5]],
  updates_unavailable: [[{ kind: 'updates_unavailable', sentence }, sentence, 5]],
  host_unavailable: [[{ kind: 'host_unavailable', sentence }, sentence, 5]],
  settings_unusable: [[{ kind: 'settings_file', sentence }, sentence]],
  saves_locked: [
    [
      { kind: 'saves_locked' },
      'A restore, an import or an upload changes the saves; try again when it has ended',
      5,
    ],
  ],
  settings_changed: [
    [
      { kind: 'settings_changed' },
      'Someone else changed the settings file meanwhile; nothing was overwritten',
      5,
    ],
  ],
  disk_failed: [[{ kind: 'disk_failed', detail: 'EIO' }, "A disk of the farm's machine cannot be used: EIO"]],
  disk_low: [
    [{ kind: 'disk_low' }, `No backup was made: the disk with BACKUP_DIR ${noSpace}`],
    [{ kind: 'disk_low', what: 'No save: the disk' }, `No save: the disk ${noSpace}`],
  ],
  mod_needed: [
    [
      { kind: 'mod_needed', neededBy: ['a', 'b', 'c', 'd', 'e', 'f'] },
      'Other enabled mods need this one: a, b, c, d, e. Use force=true to do it anyway.',
    ],
  ],
  refused_address: [
    [
      { kind: 'refused_address', host: '10.0.0.1' },
      'farmgate sends nothing to 10.0.0.1, which is not a public address. List it in WEBHOOK_PRIVATE_HOSTS to allow it.',
    ],
  ],
  already_running: [[{ kind: 'already_running' }, 'The game is already running']],
  not_running: [[{ kind: 'not_running' }, 'The game is not running']],
  operation_running: [[{ kind: 'operation_running', operation }, 'Another operation is under way: restart']],
  too_many_keys: [[{ kind: 'too_many', of: 'keys' }, 'There are 500 keys already; revoke one first']],
  too_many_webhooks: [
    [{ kind: 'too_many', of: 'webhooks' }, 'There are 50 webhooks already; delete one first'],
  ],
  too_many_schedules: [
    [{ kind: 'too_many', of: 'schedules' }, 'There are 50 schedules already; delete one first'],
  ],
  too_many_invitations: [
    [{ kind: 'too_many', of: 'invitations' }, 'There are 500 invitations already; delete one first'],
  ],
  too_many_pack_links: [
    [{ kind: 'too_many', of: 'pack_links' }, 'There are 100 pack links already; revoke one first'],
  ],
  too_late: [[{ kind: 'too_late' }, 'This operation has already begun to stop the game, or has ended']],
  players_connected: [
    [
      { kind: 'players_connected', count: 2 },
      'Cannot do this while 2 player(s) are connected; disconnect all players first',
    ],
    [
      { kind: 'players_connected' },
      'Cannot determine whether players are connected; disconnect all players first',
    ],
  ],
}
const failures = Object.entries(byCode).flatMap(([code, rows]) =>
  rows.map(([failure, message, retryAfter]) => ({
    failure,
    code: code as ProblemCode,
    message,
    retryAfter,
  })),
)

test.each(failures)('a failure $failure is $code: $message', ({ failure, code, message, retryAfter }) => {
  const problem = problemFrom(new FarmError(failure))
  expect(problem.status).toBe(statusOf(code))
  expect(problem.details.retryAfter).toBe(retryAfter)
  expect(problemBody(problem)).toStrictEqual({
    ...{ success: false, error: message, code },
    ...(retryAfter !== undefined && { retry: true }),
    ...('neededBy' in failure && { neededBy: failure.neededBy }),
    ...('operation' in failure && { operation }),
    ...(failure.kind === 'host_undecided' && { host: failure.host }),
    ...(failure.kind === 'refused_address' && { parameter: 'url' }),
  })
})

test.each(failures)(
  'the link takes the failure $failure, and not with a member of another type',
  ({ failure }) => {
    expect(v.parse(farmFailure, failure)).toEqual(failure)
    for (const member of Object.keys(failure))
      expect([member, v.is(farmFailure, { ...failure, [member]: {} })]).toEqual([member, false])
  },
)

test('the texts and lists of a failure on the link have bounds', () => {
  const sized = (units: number, ids: number) =>
    [
      { kind: 'invalid_argument', sentence, parameter: 'x'.repeat(units) },
      { kind: 'player_not_found', label: 'x'.repeat(8 * units) },
      { kind: 'mod_needed', neededBy: new Array(ids).fill('a') },
      { kind: 'unavailable', retryAfter: ids * 86.4 },
    ].map((failure) => v.is(farmFailure, failure))
  expect(sized(1024, 1000)).toEqual([true, true, true, true])
  expect(sized(1025, 1001)).toEqual([false, false, false, false])
  expect(v.is(farmFailure, { kind: 'unavailable', retryAfter: -1 })).toBe(false)
  expect(v.is(farmFailure, { kind: 'asleep' })).toBe(false)
})

test('a failure of a call to another part than the game says which; others stay as they are', () => {
  const failed: FarmFailure[] = [
    { kind: 'unavailable' },
    { kind: 'timeout', write: false },
    { kind: 'bad_response', detail: 'x' },
  ]
  for (const failure of failed) expect(failureOf('records', failure)).toEqual({ ...failure, of: 'records' })
  expect(failureOf('farm', { kind: 'not_ready' })).toEqual({ kind: 'not_ready' })
})

test('an unexpected error is a bug: the client sees only that, and the log all of it', () => {
  const bug = new Error('a secret')
  const { status, code, message } = problemFrom(bug)
  expect([status, code, message]).toEqual([500, 'internal_error', 'Internal server error'])
  expect(problemFrom(new Problem('not_found', 'No'))).toEqual(new Problem('not_found', 'No'))
  expect([causeOf(bug), causeOf('x'), causeOf(new FarmError({ kind: 'not_ready' }))]).toEqual([
    bug.stack,
    'x',
    { kind: 'not_ready' },
  ])
  delete bug.stack
  expect(causeOf(bug)).toBe('a secret')
})

test('only the cause of an outage explains a failure of the game, and no failure of the records', () => {
  const night = new FarmError({ kind: 'not_ready' })
  const records = new FarmError({ kind: 'unavailable', of: 'records' })
  for (const code of ['ticket_service', 'disk', 'clock'] as const)
    expect(problemWithCause(night, { code, since: 0 })).toBe(night)
  expect(problemWithCause(night, undefined)).toBe(night)
  expect(problemWithCause(records, { code: 'frozen', since: 0 })).toBe(records)
  expect(problemBody(problemFrom(problemWithCause(night, { code: 'frozen', since: 0 })))).toEqual({
    ...problemBody(problemFrom(night)),
    cause: {
      code: 'frozen',
      message: 'The game is frozen.',
      next: 'Look at its log, and restart it: farmgate restart.',
      since: '1970-01-01T00:00:00.000Z',
    },
  })
})

test('a wrong argument is named', () => {
  const failure = { kind: 'invalid_argument', sentence, parameter: 'fps' } as const
  expect(problemBody(problemOf(failure))).toMatchObject({ parameter: 'fps' })
})

test('the codes after which the same request can succeed a little later', () => {
  const codes = Object.keys(problemTable) as ProblemCode[]
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

test('errors have names that distinguish them in a log', () => {
  expect([new Problem('not_found', 'No').name, new FarmError({ kind: 'not_ready' }).name]).toEqual([
    'Problem',
    'FarmError',
  ])
})

test.each([
  ['invalid_parameter', { parameter: 'fps' }],
  ['insufficient_scope', { scope: 'admin' }],
  ['not_found', { path: '/x' }],
] as const)('the body of an error %s has %j', (code, details) => {
  expect(problemBody(new Problem(code, 'Wrong', details))).toEqual({
    ...{ success: false, error: 'Wrong', code },
    ...details,
  })
})

test('each code has its status', () => {
  const codesOf = Map.groupBy(Object.keys(problemTable), (code) => statusOf(code as ProblemCode))
  expect(
    Object.fromEntries([...codesOf].map(([status, codes]) => [status, codes.toSorted().join(' ')])),
  ).toEqual({
    400: 'archive_refused invalid_parameter malformed_request refused_address',
    401: 'unauthorized',
    403: 'insufficient_scope origin_not_allowed other_browser',
    404: 'account_not_found action_not_found backup_not_found delivery_not_found discord_server_not_found download_not_found farm_not_found farmhand_not_found invitation_not_found key_not_found mod_not_found not_found operation_not_found pack_link_not_found player_not_found save_not_found schedule_not_found webhook_not_found',
    405: 'method_not_allowed',
    408: 'wait_timeout',
    409: 'already_running ambiguous_name farmhand_online host_undecided keys_exist mod_needed not_running not_signed_in operation_running players_connected restart_needed restore_refused save_exists save_in_progress save_refused saves_locked settings_changed settings_unusable too_late too_many_invitations too_many_keys too_many_pack_links too_many_schedules too_many_webhooks',
    413: 'payload_too_large',
    414: 'uri_too_long',
    415: 'unsupported_media_type',
    416: 'range_not_satisfiable',
    426: 'upgrade_required',
    429: 'rate_limited',
    431: 'headers_too_large',
    500: 'internal_error',
    501: 'unsupported',
    502: 'bad_game_response issuer_unavailable restore_undone updates_unavailable',
    503: 'game_unavailable host_unavailable not_configured server_not_ready ticket_service_unavailable too_many_clients',
    504: 'game_timeout',
    507: 'disk_failed disk_low',
  })
})
