/** The description of each endpoint: clients and the page `/docs` are generated from it. */
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { endpoints } from '../../../handlers/endpoints/all-endpoints.ts'
import { edgeEndpoints } from '../../../handlers/endpoints/edge-endpoints.ts'
import { fleetEndpoints } from '../../../handlers/endpoints/fleet-endpoints.ts'
import { forwardedEndpoints } from '../../../handlers/forwarded-endpoint.ts'
import { spoiled } from '../spoiled.ts'

/** Method, path, id, heading, scope, what is special, and own errors; one with more members than others has a `*`. */
const known = `
GET /health getHealth Server public anyOrigin isProbe
GET /ready getReady Server public isProbe game_unavailable
GET /status getStatus Server public anyOrigin game_unavailable*
GET /badge.svg getBadge Server public
GET /players getPlayers Players read
GET /invite-code getInviteCode Players read
GET /farmhands getFarmhands Farmhands read
DELETE /farmhands deleteFarmhand Farmhands admin needsOne ambiguous_name farmhand_not_found farmhand_online save_in_progress server_not_ready
POST /farmhands/rebind rebindFarmhand Farmhands admin farmhand_not_found farmhand_online save_in_progress server_not_ready unsupported
GET /settings getSettings Settings read
PATCH /settings changeSettings Settings admin needsOne settings_changed settings_unusable unsupported
GET /cabins getCabins Cabins read
GET /rendering getRendering Server read
POST /rendering setRendering Server control server_not_ready
POST /time setTime Time control save_in_progress server_not_ready
POST /roles/admin grantAdmin Players admin needsOne ambiguous_name player_not_found save_in_progress server_not_ready
POST /announce announce Server chat server_not_ready
GET /stats getStats Diagnostics read unsupported
GET /screenshot getScreenshot Diagnostics read unsupported
POST /clock-speed setClockSpeed Time control server_not_ready unsupported
GET /auth getPasswordProtection Players read unsupported
POST /auth/timeout setLoginTimeout Players control unsupported
POST /newgame createNewGame Server admin players_connected server_not_ready unsupported
POST /reload reloadWorld Server admin players_connected restart_needed server_not_ready unsupported
GET /diagnostics/state getDiagnosticsState Diagnostics read unsupported
GET /metrics getMetrics Server read
GET /audit getAudit Audit admin
GET /audit/export exportAudit Audit admin game_unavailable
GET /wait/status waitForStatus Waiting read wait_timeout game_unavailable*
GET /wait/players waitForPlayers Waiting read wait_timeout
GET /wait/farmhands waitForFarmhands Waiting read wait_timeout
GET /wait/health waitForHealth Waiting read wait_timeout
GET /join getJoin Players read
GET /support getSupport Diagnostics admin range_not_satisfiable
GET /keys getKeys Keys admin
GET /keys/own getOwnKey Keys key
POST /keys createKey Keys admin too_many_keys
DELETE /keys revokeKey Keys admin key_not_found
GET /sign-in getSignInProviders Accounts public
GET /sign-in/discord signInWithDiscord Accounts public redirect issuer_unavailable unsupported
GET /sign-in/oidc signInWithOidc Accounts public redirect issuer_unavailable unsupported
GET /sign-in/callback endSignIn Accounts public redirect issuer_unavailable unsupported
POST /sign-in/session takeSession Accounts public not_signed_in
POST /sign-out signOut Accounts key endsSession not_signed_in
GET /accounts getAccounts Accounts admin
PATCH /accounts changeAccount Accounts admin account_not_found
DELETE /accounts deleteAccount Accounts admin account_not_found
PATCH /accounts/groups setAccountGroups Accounts admin
GET /invitations getInvitations Accounts admin
POST /invitations createInvitation Accounts admin too_many_invitations unsupported
DELETE /invitations deleteInvitation Accounts admin invitation_not_found
POST /invitations/show showInvitation Accounts public invitation_not_found
POST /invitations/accept acceptInvitation Accounts key invitation_not_found not_signed_in
GET /history/sessions getHistorySessions History read
GET /history/players getHistoryPlayers History read
GET /history/samples getHistorySamples History read
GET /history/days getHistoryDays History read
GET /history/outages getHistoryOutages History read
GET /history/chat getHistoryChat History read
GET /backups getBackups Backups read disk_failed
POST /backups makeBackup Backups control disk_failed disk_low save_in_progress unsupported
GET /backups/download downloadBackup Backups admin backup_not_found disk_failed game_unavailable range_not_satisfiable
POST /backups/restore restoreBackup Backups admin backup_not_found disk_failed players_connected restart_needed restore_refused restore_undone save_in_progress unsupported
DELETE /backups deleteBackup Backups admin backup_not_found disk_failed
POST /downloads createDownload Downloads key backup_not_found disk_failed disk_low game_unavailable unsupported
GET /downloads/file getDownload Downloads public backup_not_found disk_failed disk_low download_not_found game_unavailable range_not_satisfiable unsupported
GET /saves getSaves Saves read disk_failed unsupported
POST /saves uploadSave Saves admin archive_refused disk_failed disk_low malformed_request save_exists saves_locked unsupported
POST /saves/choose chooseSave Saves admin disk_failed host_unavailable not_running players_connected save_in_progress save_not_found save_refused saves_locked operation_running* unsupported* host_undecided*
POST /saves/new startNewFarm Saves admin disk_failed host_unavailable settings_changed settings_unusable unsupported operation_running*
POST /saves/expect expectSave Saves admin disk_failed save_not_found unsupported
GET /allowlist getAllowlist Players admin
PUT /allowlist setAllowlist Players admin
GET /host getHost Host read unsupported
POST /host/start startGame Host control already_running host_unavailable unsupported operation_running*
POST /host/stop stopGame Host control host_unavailable not_running unsupported operation_running*
POST /host/restart restartGame Host control host_unavailable not_running unsupported operation_running*
GET /host/operations getHostOperations Host read unsupported
DELETE /host/operations cancelHostOperation Host control operation_not_found too_late unsupported
GET /host/log getHostLog Host admin host_unavailable unsupported
POST /host/console typeAtConsole Host admin host_unavailable not_running unsupported
GET /schedules getSchedules Schedules read
POST /schedules createSchedule Schedules admin too_many_schedules
PATCH /schedules changeSchedule Schedules admin needsOne schedule_not_found
DELETE /schedules deleteSchedule Schedules admin schedule_not_found
POST /schedules/run runSchedule Schedules admin schedule_not_found
GET /mods getMods Mods read disk_failed unsupported
POST /mods installMods Mods admin archive_refused disk_failed disk_low malformed_request save_in_progress unsupported
POST /mods/enable enableMod Mods admin disk_failed disk_low mod_not_found save_in_progress unsupported
POST /mods/disable disableMod Mods admin disk_failed disk_low mod_not_found save_in_progress unsupported mod_needed*
DELETE /mods deleteMod Mods admin disk_failed disk_low mod_not_found save_in_progress unsupported mod_needed*
PATCH /mods changeMod Mods admin disk_failed mod_not_found unsupported
GET /mods/pack getModsPack Mods read disk_failed disk_low range_not_satisfiable unsupported
GET /mods/pack-links getPackLinks Mods admin unsupported
POST /mods/pack-links createPackLink Mods admin disk_failed too_many_pack_links unsupported
DELETE /mods/pack-links revokePackLink Mods admin pack_link_not_found unsupported
GET /mods/shared-pack getSharedModsPack Mods public disk_failed disk_low game_unavailable pack_link_not_found range_not_satisfiable unsupported
GET /mods/updates getModUpdates Mods read disk_failed unsupported updates_unavailable
GET /webhooks getWebhooks Webhooks admin
POST /webhooks createWebhook Webhooks admin refused_address too_many_webhooks
DELETE /webhooks deleteWebhook Webhooks admin webhook_not_found
POST /webhooks/test testWebhook Webhooks admin webhook_not_found
GET /webhooks/deliveries getWebhookDeliveries Webhooks admin webhook_not_found
POST /webhooks/replay replayDelivery Webhooks admin delivery_not_found
POST /discord/codes makeDiscordCode Discord admin
GET /discord/servers getDiscordServers Discord admin
PATCH /discord/servers setDiscordRoles Discord admin discord_server_not_found
DELETE /discord/servers unbindDiscordServer Discord admin discord_server_not_found
GET /farms getFarms Fleet fleet
GET /farms/targets getFarmTargets Fleet fleet
POST /farms/actions beginFarmsAction Fleet fleet
GET /farms/actions getFarmsAction Fleet fleet action_not_found
PUT /farms/{farm} putFarm Fleet fleet not_found
PATCH /farms/{farm} noteFarm Fleet fleet farm_not_found
DELETE /farms/{farm} deleteFarm Fleet fleet not_found
POST /farms/{farm}/dashboard-link makeDashboardLink Fleet fleet bad_game_response farm_not_found game_timeout game_unavailable too_many_keys unsupported
`

test('every call has the method, path, id, heading, scope and errors that existing clients know', () => {
  const flags = ['needsOne', 'redirect', 'endsSession', 'anyOrigin', 'isProbe'] as const
  const lines = [
    ...endpoints,
    ...fleetEndpoints.map((one) => ({ ...one, access: 'fleet', scope: undefined })),
  ].map(({ method, path, operationId, tag, access, scope, problems, problemMembers = [], ...more }) =>
    [
      ...[method, path, operationId, tag, scope ?? access],
      ...flags.filter((flag) => more[flag]),
      ...problems.filter((code) => problemMembers.every((one) => one.code !== code)).toSorted(),
      ...problemMembers.map(({ code }) => `${code}*`),
    ].join(' '),
  )
  expect(lines).toEqual(known.trim().split('\n'))
})

/** Paths of the members that are false, null or empty. */
const nothings = (value: unknown, path: string): readonly string[] =>
  typeof value === 'object' && value !== null && Object.keys(value).length > 0
    ? Object.entries(value).flatMap(([name, member]) => nothings(member, `${path}/${name}`))
    : value === false || value === '' || typeof value === 'object'
      ? [path]
      : []

test('examples show something: only these members of them, of bodies (?) and of errors (^) are false, null or empty', () => {
  const examples = [...endpoints, ...fleetEndpoints].flatMap(
    ({ operationId, example, body, problemMembers = [] }) => [
      ...nothings(example, operationId),
      ...nothings(body?.example ?? 'none', `${operationId}?`),
      ...problemMembers.flatMap((one) => nothings(one.example, `${operationId}^`)),
    ],
  )
  expect(examples).toEqual([
    ...['getHealth/isFrozen', 'getStatus/isPaused', 'getStatus^/isOnline', 'getStatus^/isReady'],
    ...['getStatus^/dayTransitionComplete', 'getStatus^/isPaused', 'getFarmhands/farmhands/1/name'],
    ...['getFarmhands/farmhands/1/isCustomized', 'getSettings/server/separateWallets'],
    ...['changeSettings/settings/server/separateWallets', 'getCabins/cabins/1/ownerName'],
    ...['getCabins/cabins/1/isAssigned', 'getCabins/savedPositionPlayerIds'],
    ...['getDiagnosticsState/failedFields', 'waitForStatus/isPaused', 'waitForStatus^/isOnline'],
    ...['waitForStatus^/isReady', 'waitForStatus^/dayTransitionComplete', 'waitForStatus^/isPaused'],
    ...['waitForFarmhands/farmhands/1/name', 'waitForFarmhands/farmhands/1/isCustomized'],
    ...[
      'waitForHealth/isFrozen',
      'uploadSave/active',
      'chooseSave^/host/isServer',
      'getHost/operation',
      'startGame?/force',
    ],
    ...['stopGame?/force', 'restartGame?/force', 'getSchedules/schedules/0/onlyWhenEmpty'],
    ...['getSchedules/schedules/0/warnMinutes', 'createSchedule/onlyWhenEmpty'],
    ...['createSchedule/warnMinutes', 'createSchedule?/onlyWhenEmpty', 'createSchedule?/warnMinutes'],
    ...['changeSchedule/onlyWhenEmpty', 'changeSchedule/warnMinutes', 'changeSchedule/enabled'],
    ...['changeSchedule/nextAt', 'changeSchedule?/enabled', 'getMods/mods/0/dependencies'],
    ...['getMods/restartNeeded', 'installMods/replaced'],
  ])
})

test('the edge knows every call of a farm, and of one that it forwards what the farm says of it', () => {
  const ids = (all: readonly { readonly operationId: string }[]) =>
    all.map((one) => one.operationId).toSorted()
  expect(ids(edgeEndpoints)).toEqual(ids(endpoints))
  const inPart = edgeEndpoints.filter((one) => !('handle' in one))
  const ofFarm = endpoints.filter((one) => !edgeEndpoints.includes(one))
  expect(inPart).toStrictEqual(forwardedEndpoints(ofFarm))
})

describe.each(
  [...endpoints, ...fleetEndpoints].map(
    (endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const,
  ),
)(
  '%s',
  (_name, { summary, parameters, result, example, body, problemMembers, operationId, stream, upload }) => {
    test('has a description, and so has each of its parameters, with a type', () => {
      expect(summary).toMatch(/^[A-Z](?!.* {2}).+[^.]$/)
      for (const { description, expected, schema } of Object.values(parameters))
        expect([description, expected, schema]).toEqual([
          expect.stringMatching(/^[A-Z/].{3}/),
          expect.stringMatching(/\w{3}/),
          expect.toSatisfy(({ type, anyOf, enum: values }) => (type ?? anyOf ?? values) !== undefined),
        ])
      const files = [stream?.type, stream?.description, stream?.part, upload?.description]
      expect(files.filter((text) => text !== undefined && !/\w{3}/.test(text))).toEqual([])
    })

    test('accepts the example of each parameter', () => {
      for (const [name, { example: value, read }] of Object.entries(parameters))
        if (value !== undefined) expect([name, read(value)]).toEqual([name, expect.anything()])
    })

    /** A schema takes its example, and no copy of it with a member of another type. */
    const fits = (schema: v.GenericSchema, shown: unknown) => {
      expect(v.safeParse(schema, shown).issues).toBeUndefined()
      // The values of a write, and the arguments of an action at many farms, can be any.
      for (const [way, copy] of spoiled(shown))
        if (!/^\/(entries\/0\/parameters|arguments)\//.test(way))
          expect([way, v.is(schema, copy)]).toEqual([way, false])
    }

    // The game owns the record of `/diagnostics/state`: any members are passed on.
    if (result !== undefined && operationId !== 'getDiagnosticsState')
      test('has a result whose every member is described, with its type', () => fits(result, example))

    if (body !== undefined)
      test('takes a body whose every member is described, with its type', () => {
        fits(body.schema, body.example)
        // Clients of the game server send it with any type.
        expect(body.type).toBe(operationId === 'createNewGame' ? undefined : 'application/json')
        const optional = ['startGame', 'stopGame', 'restartGame', 'chooseSave']
        expect(body.isOptional === true).toBe(optional.includes(operationId))
        expect(body.maxBytes).toBe(operationId === 'beginFarmsAction' ? 163_840 : 16_384)
      })

    for (const { code, schema, example: members } of problemMembers ?? [])
      test(`has the error ${code}, whose every further member is described, with its type`, () =>
        fits(schema, members))
  },
)

test('every change of keys, accounts, schedules, webhooks, Discord servers and the allowlist says when it is in memory only', () => {
  const tags: readonly string[] = ['Keys', 'Accounts', 'Schedules', 'Webhooks', 'Discord']
  const changes = endpoints.filter(
    ({ method, tag, path }) => method !== 'GET' && (tags.includes(tag) || path === '/allowlist'),
  )
  const silent = changes.filter(
    ({ result, keeps }) =>
      !(result !== undefined && 'entries' in result && 'stored' in Object(result.entries)) &&
      keeps === undefined,
  )
  // They change none of these: a look, a run, a code for a quarter of an hour, a session that a sign-in has begun, and
  // deliveries.
  expect(silent.map(({ operationId }) => operationId).sort()).toEqual([
    'makeDiscordCode',
    'replayDelivery',
    'runSchedule',
    'showInvitation',
    'takeSession',
    'testWebhook',
  ])
})
