/** The description of each endpoint: clients and the page `/docs` are generated from it. */
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { recordEndpoints as endpoints } from '../../record-endpoints.ts'
import { spoiled } from '../spoiled.ts'

test('the methods, paths, operation ids, headings and keys that existing clients know are still there', () => {
  expect(
    endpoints.map(({ method, path, operationId, tag, access }) =>
      [method, path, operationId, tag, access].join(' '),
    ),
  ).toEqual(
    expect.arrayContaining([
      'GET /health getHealth Server public',
      'GET /ready getReady Server public',
      'GET /status getStatus Server public',
      'GET /players getPlayers Players key',
      'GET /invite-code getInviteCode Players key',
      'GET /farmhands getFarmhands Farmhands key',
      'DELETE /farmhands deleteFarmhand Farmhands key',
      'POST /farmhands/rebind rebindFarmhand Farmhands key',
      'GET /settings getSettings Settings key',
      'PATCH /settings changeSettings Settings key',
      'GET /cabins getCabins Cabins key',
      'GET /rendering getRendering Server key',
      'POST /rendering setRendering Server key',
      'POST /time setTime Time key',
      'POST /roles/admin grantAdmin Players key',
      'POST /announce announce Server key',
      'GET /stats getStats Diagnostics key',
      'GET /screenshot getScreenshot Diagnostics key',
      'POST /clock-speed setClockSpeed Time key',
      'GET /auth getPasswordProtection Players key',
      'POST /auth/timeout setLoginTimeout Players key',
      'POST /newgame createNewGame Server key',
      'POST /reload reloadWorld Server key',
      'GET /diagnostics/state getDiagnosticsState Diagnostics key',
      'GET /audit getAudit Audit key',
      'GET /wait/status waitForStatus Waiting key',
      'GET /wait/players waitForPlayers Waiting key',
      'GET /wait/farmhands waitForFarmhands Waiting key',
      'GET /wait/health waitForHealth Waiting key',
      'GET /keys getKeys Keys key',
      'GET /keys/own getOwnKey Keys key',
      'POST /keys createKey Keys key',
      'DELETE /keys revokeKey Keys key',
      'GET /history/sessions getHistorySessions History key',
      'GET /history/players getHistoryPlayers History key',
      'GET /history/samples getHistorySamples History key',
      'GET /history/days getHistoryDays History key',
      'GET /history/chat getHistoryChat History key',
      'GET /backups getBackups Backups key',
      'POST /backups makeBackup Backups key',
      'POST /backups/restore restoreBackup Backups key',
      'DELETE /backups deleteBackup Backups key',
      'GET /host getHost Host key',
      'POST /host/start startGame Host key',
      'POST /host/stop stopGame Host key',
      'POST /host/restart restartGame Host key',
      'GET /host/operations getHostOperations Host key',
      'DELETE /host/operations cancelHostOperation Host key',
      'GET /host/log getHostLog Host key',
      'POST /host/console typeAtConsole Host key',
      'GET /webhooks getWebhooks Webhooks key',
      'POST /webhooks createWebhook Webhooks key',
      'DELETE /webhooks deleteWebhook Webhooks key',
      'POST /webhooks/test testWebhook Webhooks key',
      'GET /webhooks/deliveries getWebhookDeliveries Webhooks key',
      'POST /webhooks/replay replayDelivery Webhooks key',
      'POST /discord/codes makeDiscordCode Discord key',
      'GET /discord/servers getDiscordServers Discord key',
      'PATCH /discord/servers setDiscordRoles Discord key',
      'DELETE /discord/servers unbindDiscordServer Discord key',
    ]),
  )
})

test("every GET needs read but those of keys, accounts, the allowlist, webhooks, Discord, the audit and the game's log; reading the caller's own scopes needs none", () => {
  const reads = endpoints.filter(({ method, access }) => method === 'GET' && access === 'key')
  for (const { path, scope } of reads) {
    const needed = /^\/(keys|accounts|allowlist|invitations|audit|webhooks|discord|host\/log)/.test(path)
      ? 'admin'
      : 'read'
    expect([path, scope]).toEqual([path, path === '/keys/own' ? undefined : needed])
  }
})

test("changing the display, the clock's speed or backups, and starting or stopping the game, needs control, announcing needs chat, and every change needs a scope but those that people make for themselves", () => {
  const ofPeople = ['signOut', 'showInvitation', 'acceptInvitation']
  const writes = endpoints.filter(
    ({ method, operationId }) => method !== 'GET' && !ofPeople.includes(operationId),
  )
  for (const { operationId, scope } of writes)
    expect([operationId, scope]).toEqual([operationId, expect.any(String)])
  const scopes = Object.fromEntries(writes.map(({ operationId, scope }) => [operationId, scope]))
  for (const name of [
    ...['setRendering', 'setTime', 'setClockSpeed', 'setLoginTimeout', 'makeBackup'],
    ...['startGame', 'stopGame', 'restartGame', 'cancelHostOperation'],
  ])
    expect([name, scopes[name]]).toEqual([name, 'control'])
  expect(scopes['announce']).toBe('chat')
  for (const name of Object.keys(scopes).filter((one) => scopes[one] !== 'control' && one !== 'announce'))
    expect([name, scopes[name]]).toEqual([name, 'admin'])
})

test('each endpoint still declares the errors that existing clients know', () => {
  const declared = endpoints.flatMap(({ operationId, problems }) =>
    problems.length === 0 ? [] : [[operationId, problems.toSorted().join(' ')]],
  )
  expect(Object.fromEntries(declared)).toMatchObject({
    getReady: 'game_unavailable',
    getStatus: 'game_unavailable',
    deleteFarmhand: 'ambiguous_name farmhand_not_found farmhand_online save_in_progress server_not_ready',
    rebindFarmhand: 'farmhand_not_found farmhand_online save_in_progress server_not_ready unsupported',
    changeSettings: 'settings_changed settings_unusable unsupported',
    setRendering: 'server_not_ready',
    setTime: 'save_in_progress server_not_ready',
    grantAdmin: 'ambiguous_name player_not_found save_in_progress server_not_ready',
    announce: 'server_not_ready',
    getStats: 'unsupported',
    getScreenshot: 'unsupported',
    setClockSpeed: 'server_not_ready unsupported',
    getPasswordProtection: 'unsupported',
    setLoginTimeout: 'unsupported',
    createNewGame: 'players_connected server_not_ready unsupported',
    reloadWorld: 'players_connected server_not_ready unsupported',
    getDiagnosticsState: 'unsupported',
    waitForStatus: 'wait_timeout',
    waitForPlayers: 'wait_timeout',
    waitForFarmhands: 'wait_timeout',
    waitForHealth: 'wait_timeout',
    createKey: 'too_many_keys',
    revokeKey: 'key_not_found',
    getBackups: 'disk_failed',
    makeBackup: 'disk_failed disk_low save_in_progress unsupported',
    restoreBackup:
      'backup_not_found disk_failed players_connected restore_refused restore_undone save_in_progress unsupported',
    deleteBackup: 'backup_not_found disk_failed',
    createWebhook: 'too_many_webhooks',
    deleteWebhook: 'webhook_not_found',
    testWebhook: 'webhook_not_found',
    getWebhookDeliveries: 'webhook_not_found',
    replayDelivery: 'delivery_not_found',
    setDiscordRoles: 'discord_server_not_found',
    unbindDiscordServer: 'discord_server_not_found',
  })
})

test('web pages of any origin may read only the health and the status', () => {
  expect(endpoints.filter(({ anyOrigin }) => anyOrigin).map(({ path }) => path)).toEqual([
    '/health',
    '/status',
  ])
})

test('only endpoints for health checks have their own rate limit', () => {
  expect(endpoints.filter(({ isProbe }) => isProbe).map(({ path }) => path)).toEqual(['/health', '/ready'])
})

test('the status and its long poll answer the last status while the game is offline', () => {
  const offline = endpoints.filter(({ problemMembers }) => problemMembers?.code === 'game_unavailable')
  expect(offline.map(({ path }) => path)).toEqual(['/status', '/wait/status'])
})

test("every endpoint's example matches its result schema, and operation ids are unique", () => {
  for (const { method, path, result, example } of endpoints)
    expect([method, path, v.safeParse(result, example).issues]).toEqual([method, path, undefined])
  expect(new Set(endpoints.map(({ operationId }) => operationId)).size).toBe(endpoints.length)
  expect(new Set(endpoints.map(({ method, path }) => `${method} ${path}`)).size).toBe(endpoints.length)
})

describe.each(endpoints.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const))(
  '%s',
  (_name, { summary, parameters, result, example, body, problemMembers, operationId }) => {
    test('has a description, and so does each of its parameters', () => {
      expect(summary).toMatch(/^[A-Z].+[^.]$/)
      for (const [name, { description, expected }] of Object.entries(parameters))
        expect([name, description, expected]).toEqual([
          name,
          expect.stringMatching(/\w{3}/),
          expect.stringMatching(/\w{3}/),
        ])
    })

    test('accepts the example of each parameter', () => {
      for (const [name, { example: value, read }] of Object.entries(parameters))
        if (value !== undefined) expect([name, read(value)]).toEqual([name, expect.anything()])
    })

    // The game owns the record of `/diagnostics/state`: any members are passed on.
    if (operationId !== 'getDiagnosticsState')
      test('has a result whose every member is described, with its type', () => {
        expect(v.safeParse(result, example).issues).toBeUndefined()
        // A write can be sent with any values.
        for (const [way, copy] of spoiled(example))
          if (!way.startsWith('/entries/0/parameters/'))
            expect([way, v.is(result, copy)]).toEqual([way, false])
      })

    if (body !== undefined)
      test('takes a body whose every member is described, with its type', () => {
        expect(v.safeParse(body.schema, body.example).issues).toBeUndefined()
        for (const [way, copy] of spoiled(body.example))
          expect([way, v.is(body.schema, copy)]).toEqual([way, false])
      })

    if (problemMembers?.code === 'game_unavailable')
      test('declares the error of an offline game with the members of a status', () => {
        expect(problemMembers.code).toBe('game_unavailable')
        expect(v.safeParse(problemMembers.schema, problemMembers.example).issues).toBeUndefined()
        expect(problemMembers.example).toMatchObject({ isOnline: false, farmName: 'Junimo' })
      })
  },
)
