/** What each call asks of the farm or the fleet, and what it answers then: the ports note how they are asked. */
import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import type { FarmPorts } from '../../../handlers/endpoint.ts'
import { endpoints } from '../../../handlers/endpoints/all-endpoints.ts'
import { fleetEndpoints } from '../../../handlers/endpoints/fleet-endpoints.ts'
import { scheduledCall } from '../../../handlers/endpoints/scheduled-endpoints.ts'
import type { Fleet } from '../../../handlers/fleet.ts'
import { apiKeyHolder, withoutKey } from '../../../handlers/key-holder.ts'
import { Problem, problemBody } from '../../../handlers/problem.ts'
import { Stream } from '../../../handlers/stream.ts'
import { type Asked, now, requestOf } from '../plain-game.ts'

/** The answers of the ports by name, such as `records.keys`; a function makes one from the arguments. */
type Given = Readonly<Record<string, unknown>>

const portNames = ['game', 'records', 'backups', 'host', 'schedules', 'saves', 'mods', 'accounts', 'metrics']
const byKey = apiKeyHolder()
const upload = (async function* () {})()
const named = new Map<unknown, string>([
  [byKey, 'byKey'],
  [withoutKey, 'withoutKey'],
  [upload, 'upload'],
])
const shown = (value: unknown) =>
  named.get(value) ?? inspect(value, { depth: null, compact: true, breakLength: Number.POSITIVE_INFINITY })

/** A port that notes its calls, and fails one without an answer. */
const port = (name: string, given: Given, asked: string[]) =>
  new Proxy({} as never, {
    get(_target, member) {
      const called = `${name}.${String(member)}`
      const answer = given[called]
      // These two are values.
      if (called === 'accounts.providers' || called === 'fleet.address') return answer
      return async (...args: unknown[]) => {
        asked.push(`${called}(${args.map(shown).join(', ')})`)
        if (!Object.hasOwn(given, called)) expect.fail(`${called} is not this call's business`)
        return typeof answer === 'function' ? answer(...args) : answer
      }
    },
  })

/**
 * @param line method, path, query and body: `POST /keys?id=1 {"name":"a"}`; the farm of a path is meadow
 * @returns the calls of the ports, the status and the body of the answer
 */
async function answered(line: string, given: Given = {}, more: Asked = {}) {
  const [, method, path = '', search = '', body = ''] =
    /^(\w+) ([^? ]+)(?:\?(\S*))?(?: (.*))?$/.exec(line) ?? []
  const known = <E extends { readonly method: string; readonly path: string }>(all: readonly E[]) =>
    all.find((one) => one.method === method && one.path.replace('{farm}', 'meadow') === path)
  const asked: string[] = []
  try {
    const ofFleet = known(fleetEndpoints)
    const endpoint = ofFleet ?? known(endpoints) ?? expect.fail(`There is no ${line}`)
    const request = requestOf(endpoint, search, { holder: byKey, ...more, body })
    const ports = Object.fromEntries(portNames.map((name) => [name, port(name, given, asked)]))
    const answer = await (ofFleet === undefined
      ? (endpoint as (typeof endpoints)[number]).handle(
          request,
          ports as never as FarmPorts & { metrics: never },
        )
      : ofFleet.handle({ ...request, farm: 'meadow' }, port('fleet', given, asked) as Fleet))
    const existed = endpoint.existed?.(answer, request.query) === true
    return { asked, status: existed ? 200 : (endpoint.status ?? 200), body: answer }
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const { bytes } = error.details
    return { asked, status: error.status, body: problemBody(error), ...(bytes !== undefined && { bytes }) }
  }
}
/** The answer of one port that is asked. */
const of = (call: string, answer: unknown): Given => ({ [call.replace(/\(.*/, '')]: answer })
const refusal = (code: string, error: string, more: object = {}) => ({ success: false, error, code, ...more })
const done = (message: string, more: object = {}) => ({ success: true, message, ...more })

const person = { id: 'u1', provider: 'oidc', name: 'Abby' } as const
const session = { id: 's1', name: 'Abby', scopes: ['read'], ref: 's1', account: person } as const
const hook = '{"name":"Farm","url":"https://hooks.example/x","events":["farm.away"],"format":"text"}'
const plan = '{"name":"Night","cron":"0 5 * * *","do":{"action":"backup"}}'
const planned = {
  ...{ name: 'Night', cron: '0 5 * * *', timeZone: 'UTC', do: { action: 'backup' } },
  ...{ onlyWhenEmpty: false, enabled: true },
}
const noon = Date.parse(now)
const lastDay = `from: ${noon - 86_400_000}, to: ${noon}`
const firstSecond = 'from=1970-01-01T00:00:01Z&to=1970-01-01T00:00:02Z'

const asUsual =
  "{ request: { when: 'now', warnMinutes: [ 10, 5, 1 ], backup: true, force: false }, by: { id: 'api_key', name: 'API_KEY' } }"

test.each([
  [200, 'GET /audit', 'records.audit({ limit: 100 })'],
  [200, 'GET /audit?before=7&limit=5', 'records.audit({ limit: 5, before: 7 })'],
  [200, 'GET /audit?action=announce&key=k1', "records.audit({ action: 'announce', key: 'k1', limit: 100 })"],
  [200, 'GET /audit?before=9999999999999999', 'records.audit({ limit: 100, before: 9007199254740991 })'],
  [200, 'GET /sign-in/discord', "accounts.beginSignIn('discord', '/')"],
  [200, 'GET /sign-in/oidc?next=/farm', "accounts.beginSignIn('oidc', '/farm')"],
  [200, 'GET /accounts', 'accounts.accounts()'],
  [200, 'POST /invitations/show {"code":"c"}', "accounts.showInvitation('c')"],
  [200, 'POST /sign-in/session {"code":"c"}', "accounts.takeSession('c')"],
  [200, `GET /history/sessions?${firstSecond}`, 'records.sessions({ limit: 100, from: 1000, to: 2000 })'],
  [200, 'GET /history/sessions?playerId=-5&limit=500', 'records.sessions({ playerId: -5n, limit: 500 })'],
  [200, 'GET /history/players', 'records.playersSeen()'],
  [200, 'GET /history/samples', `records.samples({ ${lastDay}, step: 120 })`],
  [200, 'GET /history/samples?step=300', `records.samples({ ${lastDay}, step: 300 })`],
  [200, 'GET /history/days?before=8', 'records.days({ limit: 100, before: 8 })'],
  [200, 'GET /history/chat?limit=1', 'records.chat({ limit: 1 })'],
  [200, 'GET /backups', 'backups.backups()'],
  [201, 'POST /backups', 'backups.makeBackup()'],
  [200, 'GET /host', 'host.host()'],
  [201, 'POST /saves', 'saves.uploadSave(upload, { save: undefined, isDryRun: false })'],
  [200, 'POST /saves?save=a&dryRun=true', "saves.uploadSave(upload, { save: 'a', isDryRun: true })"],
  [200, 'PATCH /schedules?id=p {"enabled":true}', "schedules.changeSchedule('p', { enabled: true }, byKey)"],
  [200, 'GET /mods', 'mods.mods()'],
  [201, 'POST /mods', 'mods.installMods(upload)'],
  [
    201,
    'POST /mods/pack-links {"expiresInDays":7}',
    "mods.makePackLink(7, { id: 'api_key', name: 'API_KEY' })",
  ],
  [200, 'GET /webhooks/deliveries?id=w', "records.webhookDeliveries({ id: 'w', limit: 100 })"],
  [201, 'POST /discord/codes', 'records.makeDiscordCode()'],
  [200, 'PATCH /farms/meadow {"note":" paid "}', "fleet.note('meadow', { note: 'paid' })"],
  [200, 'PATCH /farms/meadow {"tags":[" b "]}', "fleet.note('meadow', { tags: [ 'b' ] })"],
  [201, 'POST /farms/meadow/dashboard-link', "fleet.dashboardLink('meadow')"],
  [200, 'GET /farms/actions?id=a', "fleet.action('a')"],
])('%i %s answers the record that %s answers', async (status, line, call) => {
  const record = { created: true }
  const answer = await answered(line, of(call, record), { upload })
  expect(answer).toEqual({ asked: [call], status, body: record })
  expect(answer.body).toBe(record)
})

test.each([
  ['GET /keys', 'keys', 'records.keys()'],
  ['GET /allowlist', 'accounts', 'records.allowlist()'],
  ['GET /webhooks', 'webhooks', 'records.webhooks()'],
  ['GET /invitations', 'invitations', 'accounts.invitations()'],
  ['GET /host/operations', 'operations', 'host.operations()'],
  ['GET /host/log?lines=7', 'lines', 'host.hostLog(7)'],
  ['GET /schedules', 'schedules', 'schedules.schedules()'],
  ['GET /mods/pack-links', 'links', 'mods.packLinks()'],
  ['GET /mods/updates', 'updates', 'mods.modUpdates()'],
  ['GET /farms', 'farms', 'fleet.list()'],
  ['GET /farms/actions', 'actions', 'fleet.actions()'],
])('%s answers the list as its member %s', async (line, member, call) => {
  const answer = { asked: [call], status: 200, body: { [member]: ['one', 'two'] } }
  expect(await answered(line, of(call, ['one', 'two']))).toEqual(answer)
})

const inMemory =
  'It is stored in memory only: farmgate cannot write to DATA_DIR, so make room or fix the disk before it restarts'
const groups = '{"groups":[{"provider":"oidc","id":"g","scopes":["read"]}]}'
const setGroups = "accounts.setGroups([ { provider: 'oidc', id: 'g', scopes: [ 'read' ] } ])"
const roles = '{"id":"1","roles":[{"id":"2","scopes":["chat"]}]}'
const setRoles = "records.setDiscordRoles({ id: '1', roles: [ { id: '2', scopes: [ 'chat' ] } ] })"

const sentences: Readonly<Record<string, readonly [sentence: string, more?: object]>> = {
  invitation_not_found: ['This invitation was used up, has expired or was deleted'],
  discord_server_not_found: ['This Discord server is not bound to this farm'],
  pack_link_not_found: ['This link has expired, was revoked, or is not one of this farm'],
  action_not_found: ['There is no such action, or it ended a week ago', { parameter: 'id' }],
  farm_not_found: ['There is no farm meadow', { path: '/farms/meadow' }],
  not_found: ['There is no farm meadow', { path: '/farms/meadow' }],
}
/** The body of the answer about something that is not there. */
function missing(code: string) {
  const [sentence, more] = sentences[code] ?? [
    `${code[0]?.toUpperCase()}${code.slice(1).replace('_not_found', '')} not found`,
  ]
  return refusal(code, sentence, more)
}

test.each([
  ['DELETE /keys?id=k', "records.revokeKey('k')", false, 'key_not_found'],
  ['PATCH /accounts?id=u {"scopes":[]}', "accounts.changeAccount('u', [])", false, 'account_not_found'],
  ['DELETE /mods/pack-links?id=p', "mods.revokePackLink('p')", false, 'pack_link_not_found'],
  ['DELETE /invitations?id=i', "accounts.deleteInvitation('i')", false, 'invitation_not_found'],
  ['POST /invitations/show {"code":"c"}', "accounts.showInvitation('c')", undefined, 'invitation_not_found'],
  ['POST /backups/restore?id=b', "backups.restoreBackup('b', false)", undefined, 'backup_not_found'],
  ['DELETE /backups?id=b', "backups.removeBackup('b')", false, 'backup_not_found'],
  ['POST /saves/expect?name=a', "saves.expectSave('a')", false, 'save_not_found'],
  ['POST /saves/choose?name=a', `saves.chooseSave('a', undefined, ${asUsual})`, undefined, 'save_not_found'],
  ['DELETE /host/operations?id=o', "host.cancelOperation('o')", undefined, 'operation_not_found'],
  ['PATCH /schedules?id=p {}', "schedules.changeSchedule('p', {}, byKey)", undefined, 'schedule_not_found'],
  ['DELETE /schedules?id=p', "schedules.deleteSchedule('p')", false, 'schedule_not_found'],
  ['POST /schedules/run?id=p', "schedules.runSchedule('p')", undefined, 'schedule_not_found'],
  ['POST /mods/enable?id=m', "mods.enableMod('m')", false, 'mod_not_found'],
  ['POST /mods/disable?id=m', "mods.disableMod('m', false)", false, 'mod_not_found'],
  ['DELETE /mods?id=m', "mods.deleteMod('m', false)", false, 'mod_not_found'],
  ['PATCH /mods?id=m {"side":"server"}', "mods.setModSide('m', 'server')", false, 'mod_not_found'],
  ['GET /mods/shared-pack?link=l', "mods.packLinkOf('l')", undefined, 'pack_link_not_found'],
  ['DELETE /webhooks?id=w', "records.deleteWebhook('w')", false, 'webhook_not_found'],
  ['POST /webhooks/test?id=w', "records.testWebhook('w')", undefined, 'webhook_not_found'],
  ['POST /webhooks/replay?deliveryId=9', "records.replayDelivery('9')", false, 'delivery_not_found'],
  ['DELETE /discord/servers?id=1', "records.unbindDiscordServer('1')", false, 'discord_server_not_found'],
  [`PATCH /discord/servers ${roles}`, setRoles, false, 'discord_server_not_found'],
  ['PUT /farms/meadow?rotate=api', "fleet.rotate('meadow', 'api', undefined)", undefined, 'not_found'],
  ['DELETE /farms/meadow', "fleet.remove('meadow')", false, 'not_found'],
  ['PATCH /farms/meadow {}', "fleet.note('meadow', {})", undefined, 'farm_not_found'],
  ['POST /farms/meadow/dashboard-link', "fleet.dashboardLink('meadow')", undefined, 'farm_not_found'],
  ['GET /farms/actions?id=a', "fleet.action('a')", undefined, 'action_not_found'],
])('%s, where %s answers %s, is 404 %s', async (line, call, none, code) => {
  expect(await answered(line, of(call, none))).toEqual({ asked: [call], status: 404, body: missing(code) })
})

test.each([
  ['DELETE /keys?id=k', "records.revokeKey('k')", 'Key k is revoked'],
  ['POST /sign-out', `accounts.signOut(${shown(session)}, false)`, 'You are signed out'],
  [
    'POST /sign-out?everywhere=true',
    `accounts.signOut(${shown(session)}, true)`,
    'You are signed out everywhere',
  ],
  ['PATCH /accounts?id=u {"scopes":[]}', "accounts.changeAccount('u', [])", 'The account is changed'],
  [`PATCH /accounts/groups ${groups}`, setGroups, 'The groups are set'],
  ['DELETE /mods/pack-links?id=p', "mods.revokePackLink('p')", 'Pack link p is revoked'],
  ['DELETE /invitations?id=i', "accounts.deleteInvitation('i')", 'Invitation i is deleted'],
  ['PUT /allowlist {"accounts":[]}', 'records.setAllowlist([])', 'The allowlist is set'],
  ['DELETE /schedules?id=p', "schedules.deleteSchedule('p')", 'Schedule p is deleted'],
  ['DELETE /webhooks?id=w', "records.deleteWebhook('w')", 'Webhook w is deleted'],
  [`PATCH /discord/servers ${roles}`, setRoles, 'The roles of Discord server 1 are set'],
  ['DELETE /discord/servers?id=1', "records.unbindDiscordServer('1')", 'Discord server 1 is no longer bound'],
])('%s, after %s, says what is done, and whether it is only in memory', async (line, call, message) => {
  const answer = (stored: unknown) => answered(line, of(call, stored), { holder: session })
  expect(await answer(true)).toEqual({ asked: [call], status: 200, body: done(message) })
  const body = done(`${message}. ${inMemory}`, { stored: 'memory' })
  expect(await answer('memory')).toEqual({ asked: [call], status: 200, body })
})

test.each([
  ['POST /backups', 'backups.makeBackup()', { created: false }, { created: false }],
  [
    'POST /backups/restore?id=b&dryRun=true',
    "backups.restoreBackup('b', true)",
    { message: 'Lost' },
    done('Lost'),
  ],
  ['DELETE /backups?id=b', "backups.removeBackup('b')", true, done('Backup b is removed')],
  [
    'POST /saves/choose?name=a',
    `saves.chooseSave('a', undefined, ${asUsual})`,
    { message: 'It plays' },
    done('It plays'),
  ],
  ['POST /schedules/run?id=p', "schedules.runSchedule('p')", 'the run', { last: 'the run' }],
  ['DELETE /host/operations?id=o', "host.cancelOperation('o')", 'it', { operation: 'it' }],
  ['POST /mods/enable?id=m', "mods.enableMod('m')", true, done('m is enabled')],
  ['POST /mods/disable?id=m&force=true', "mods.disableMod('m', true)", true, done('m is disabled')],
  ['DELETE /mods?id=m&force=true', "mods.deleteMod('m', true)", true, done('m is deleted')],
  ['PATCH /mods?id=m {"side":"server"}', "mods.setModSide('m', 'server')", true, done('m is for the server')],
  ['PATCH /mods?id=m {"side":"players"}', "mods.setModSide('m', 'players')", true, done('m is for players')],
  ['PATCH /mods?id=m {"side":"unknown"}', "mods.setModSide('m', 'unknown')", true, done('m is for unknown')],
  ['POST /host/console {"line":"help"}', "host.typeLine('help')", ['a'], { success: true, output: ['a'] }],
  [
    ...(['POST /webhooks/test?id=w', "records.testWebhook('w')", '9'] as const),
    done('A test is being sent; its delivery will show the outcome', { deliveryId: '9' }),
  ],
  [
    'POST /webhooks/replay?deliveryId=1795258800000000',
    "records.replayDelivery('1795258800000000')",
    true,
    done('Delivery 1795258800000000 is being sent'),
  ],
  ['PUT /farms/meadow', "fleet.create('meadow')", undefined, { farm: 'meadow', created: false }],
  [
    ...(['PUT /farms/meadow?rotate=all&overlapMinutes=5', "fleet.rotate('meadow', 'all', 5)"] as const),
    ...([{ apiKey: 'k' }, { farm: 'meadow', apiKey: 'k' }] as const),
  ],
  ['DELETE /farms/meadow', "fleet.remove('meadow')", true, { success: true }],
])('200 %s, where %s answers %j', async (line, call, given, body) => {
  expect(await answered(line, of(call, given))).toEqual({ asked: [call], status: 200, body })
})

test.each([
  ['POST /sign-out', of('accounts.signOut', false)],
  ['PUT /allowlist {"accounts":[]}', of('records.setAllowlist', false)],
  [`PATCH /accounts/groups ${groups}`, of('accounts.setGroups', false)],
])('%s is done also where nothing was there before', async (line, given) => {
  expect(await answered(line, given, { holder: session })).toMatchObject({
    status: 200,
    body: { success: true },
  })
})

test('what a call makes is 201, and what it begins 202', async () => {
  const made = await answered('PUT /farms/meadow', { 'fleet.create': { apiKey: 'k', linkKey: 'l' } })
  expect(made).toMatchObject({ status: 201, body: { farm: 'meadow', apiKey: 'k', linkKey: 'l' } })
  expect((await answered('POST /host/start', { 'host.beginOperation': {} })).status).toBe(202)
})

test.each([
  [
    'POST /keys {"name":"Bot","scopes":["chat"]}',
    "records.makeKey({ name: 'Bot', scopes: [ 'chat' ] }, byKey)",
  ],
  ['POST /invitations {"scopes":["read"]}', "accounts.makeInvitation({ scopes: [ 'read' ] })"],
  [`POST /schedules ${plan}`, `schedules.makeSchedule(${shown(planned)}, byKey)`],
  [`POST /webhooks ${hook}`, `records.makeWebhook(${shown(JSON.parse(hook))})`],
])('%s makes it', async (line, call) => {
  expect(await answered(line, of(call, 'the record'))).toEqual({
    asked: [call],
    status: 201,
    body: 'the record',
  })
})

test('where no key is set, schedules and operations are made in the name of no key', async () => {
  const asked = async (line: string) =>
    (
      await answered(
        line,
        {
          ...{ 'schedules.makeSchedule': 1, 'schedules.changeSchedule': 1 },
          'host.beginOperation': {},
        },
        { holder: undefined },
      )
    ).asked.at(-1)
  expect(await asked(`POST /schedules ${plan}`)).toMatch(/, withoutKey\)$/)
  expect(await asked('PATCH /schedules?id=p {}')).toMatch(/, withoutKey\)$/)
  expect(await asked('POST /host/stop')).toMatch(/, { id: 'no_key', name: 'no key is set' }\)$/)
})

test.each(['POST /sign-out', 'POST /invitations/accept {"code":"c"}'])('%s is for people', async (line) => {
  const error = 'This is for people who have signed in; a key has no account'
  for (const holder of [byKey, undefined])
    expect((await answered(line, {}, { holder })).body).toEqual(refusal('not_signed_in', error))
})

test('an invitation is accepted for the account of the session', async () => {
  const line = 'POST /invitations/accept {"code":"c"}'
  const accept = (scopes: unknown) =>
    answered(line, of('accounts.acceptInvitation', scopes), { holder: session })
  const asked = ["accounts.acceptInvitation('c', 'u1')"]
  expect(await accept(['read'])).toEqual({ asked, status: 200, body: { scopes: ['read'] } })
  expect((await accept(undefined)).body).toEqual(missing('invitation_not_found'))
})

test('the own key has the account of a session, and nothing else of its holder', async () => {
  const own = async (holder: Asked['holder']) => (await answered('GET /keys/own', {}, { holder })).body
  expect(await own(session)).toEqual({ id: 's1', name: 'Abby', scopes: ['read'], account: person })
  const { ref: _, ...key } = byKey
  expect(await own(byKey)).toStrictEqual(key)
  await expect(own(undefined)).rejects.toThrow('the gate admits no one here without a key')
})

test('the ways to sign in, and the Discord servers with whether Discord is set up', async () => {
  const { body } = await answered('GET /sign-in', { 'accounts.providers': ['a'] })
  expect(body).toEqual({ providers: ['a'] })
  for (const isSetUp of [true, false]) {
    const given = { 'records.discordServers': ['d'] }
    const answer = await answered('GET /discord/servers', given, { takesDiscord: isSetUp })
    expect(answer.body).toEqual({ isSetUp, servers: ['d'] })
  }
})

test.each([
  ['', ['k1', 'k3'], '; its keys are still valid: k1, k3', false],
  ['&keys=true', ['k1', 'k3'], ', and its keys are revoked: k1, k3', true],
  ['&keys=true', [], '', true],
])(
  'DELETE /accounts?id=u%s, where %j are its keys, says "is deleted%s"',
  async (search, made, how, withKeys) => {
    const madeBy = (id: string) => ({ id, madeBy: { id: made.includes(id) ? 'u' : 'v' } })
    const keys = [...['k1', 'k2', 'k3'].map(madeBy), { id: 'k4' }]
    const given = (stored: unknown) =>
      answered(`DELETE /accounts?id=u${search}`, { 'records.keys': keys, 'accounts.deleteAccount': stored })
    const asked = ['records.keys()', `accounts.deleteAccount('u', ${withKeys})`]
    expect(await given(true)).toEqual({ asked, status: 200, body: done(`Account u is deleted${how}`) })
    expect((await given(false)).body).toEqual(missing('account_not_found'))
  },
)

test('groups of Discord are said to give nothing while no Discord server is bound', async () => {
  const set = (provider: string, servers: readonly string[]) =>
    answered(
      `PATCH /accounts/groups ${groups.replace('[{', `[{"provider":"${provider}","id":"h","scopes":["chat"]},{`)}`,
      {
        ...of('accounts.setGroups', true),
        ...of('records.discordServers', servers),
      },
    )
  const idle = 'Discord roles give nothing until a Discord server is bound (POST /discord/codes)'
  expect((await set('discord', [])).body).toEqual(done(`The groups are set. ${idle}`))
  for (const { body } of [await set('oidc', []), await set('discord', ['d'])])
    expect(body).toEqual(done('The groups are set'))
})

test('an action of a schedule is the call of its endpoint, with its warnings where players are warned', () => {
  const called = (...asked: Parameters<typeof scheduledCall>) => {
    const { endpoint, ...sent } = scheduledCall(...asked)
    return { ...sent, path: endpoint.path }
  }
  expect(called({ action: 'clock_speed', multiplier: 2 }, [5])).toEqual({
    path: '/clock-speed',
    search: 'multiplier=2',
  })
  expect(called({ action: 'announce', message: 'Hi' }, [5])).toEqual({
    path: '/announce',
    search: '',
    body: '{"message":"Hi"}',
  })
  for (const action of ['restart', 'stop'] as const) {
    const call = { path: `/host/${action}`, search: '' }
    expect(called({ action }, [5, 1])).toEqual({ ...call, body: '{"warnMinutes":[5,1]}' })
    expect(called({ action, warnMinutes: [3] }, [5, 1])).toEqual({ ...call, body: '{"warnMinutes":[3]}' })
    expect(called({ action })).toEqual({ ...call, body: '{}' })
  }
})

test.each([
  ['POST /schedules {"name":"a","cron":"b","do":{"action":"rendering","fps":"x"}}', 'do.fps'],
  ['POST /schedules {"name":"a","cron":"b","do":{"action":"announce"}}', 'do.message'],
  ['POST /schedules {"name":"a","cron":"b","do":{"action":"restart","when":"x"}}', 'do.when'],
  ['PATCH /schedules?id=p {"do":{"action":"clock_speed","speed":"1"}}', 'do.speed'],
  ['POST /webhooks {"name":"a","url":"https://user@b","events":["farm.away"],"format":"text"}', 'url'],
  ['POST /webhooks {"name":"a","url":"https://b/#c","events":["farm.away"],"format":"text"}', 'url'],
  ['POST /webhooks {"name":"a","url":"https://:c@b","events":["farm.away"],"format":"text"}', 'url'],
])('%s is refused because of %s, and nothing is asked', async (line, parameter) => {
  const { asked, body } = await answered(line)
  expect(asked).toEqual([])
  expect(body).toMatchObject({ code: 'invalid_parameter', error: expect.stringContaining("'"), parameter })
})

test('an allowlist has each account once, and no unknown member', async () => {
  const list = (second: string) =>
    answered(
      `PUT /allowlist {"accounts":[{"platform":"steam","id":"7"},{${second},"id":"7"}]}`,
      of('records.setAllowlist', true),
    )
  expect((await list('"platform":"galaxy"')).status).toBe(200)
  const body = { code: 'invalid_parameter', parameter: 'accounts' }
  for (const wrong of ['"platform":"steam"', '"platform":"galaxy","name":"x"'])
    expect(await list(wrong)).toMatchObject({ asked: [], status: 400, body })
})

test('a save that farmgate cannot load is 501 with the line to type', async () => {
  const line = 'saves import Clover'
  const error = `farmgate cannot type at the game's console: set GAME_HOST to docker or pelican, or type this line there: ${line}`
  const answer = await answered('POST /saves/choose?name=Clover', of('saves.chooseSave', { line }))
  expect(answer).toMatchObject({ status: 501, body: refusal('unsupported', error, { line }) })
})

test.each(['x', '0', '12345678901234567', '9999999999999999', '01', '1.0'])(
  '%s is not the id of a delivery: 404 without a call of the records',
  async (id) => {
    const { asked, body } = await answered(`POST /webhooks/replay?deliveryId=${id}`)
    expect([asked, body]).toEqual([[], missing('delivery_not_found')])
  },
)

test('the settings that are changed are in the message; a body without one is refused', async () => {
  const change = (line: string, ...changed: readonly string[]) =>
    answered(`PATCH /settings ${line}`, {
      'game.changeSettings': { settings: 'all', changed: changed.map((setting) => ({ setting })) },
    })
  const line = '{"server":{"maxPlayers":8}}'
  expect(await change(line, 'a', 'b')).toEqual({
    asked: ['game.changeSettings({ server: { maxPlayers: 8 } })'],
    status: 200,
    body: done('Changed a, b', { settings: 'all', changed: [{ setting: 'a' }, { setting: 'b' }] }),
  })
  expect((await change(line)).body).toMatchObject({ message: 'Nothing changed' })
  const error = `The body names no setting, such as ${line}`
  for (const empty of ['{}', '{"server":{}}'])
    expect(await change(empty)).toEqual({ asked: [], status: 400, body: refusal('invalid_parameter', error) })
})

describe('GET /history/samples', () => {
  const samples = (search: string) => answered(`GET /history/samples?${search}`, of('records.samples', {}))
  const until = (seconds: number) =>
    `from=1970-01-01T00:00:01Z&to=${new Date(seconds * 1000 + 1000).toISOString()}`

  test.each([
    [60, 60],
    [999 * 60, 60],
    [999 * 60 + 1, 120],
    [999 * 540, 540],
    [999 * 600, 600],
    [999 * 600 + 1, 1200],
    [999 * 3600, 3600],
    [999 * 3600 + 1, 7200],
  ])('of %i seconds has the smallest step of at most 1,000 points: %i', async (seconds, step) => {
    const { asked } = await samples(until(seconds))
    expect(asked).toEqual([`records.samples({ from: 1000, to: ${seconds * 1000 + 1000}, step: ${step} })`])
  })

  test('has the step that is asked for, rounded up, unless it is too small', async () => {
    const search = until(999 * 600)
    expect((await samples(`${search}&step=601`)).asked[0]).toContain('step: 1200 ')
    const error = "Parameter 'step' must be at least 600 for this time: at most 1000 steps are answered"
    const body = refusal('invalid_parameter', error, { parameter: 'step' })
    expect(await samples(`${search}&step=540`)).toEqual({ asked: [], status: 400, body })
  })

  test.each(['1970-01-01T00:00:00Z', '1969-01-01T00:00:00Z'])('does not end at %s', async (to) => {
    const error = "Parameter 'from' must be earlier than 'to'"
    const { body } = await samples(`from=1970-01-01T00:00:00Z&to=${to}`)
    expect(body).toEqual(refusal('invalid_parameter', error, { parameter: 'from' }))
  })
})

test('a sign-in that ended well is a row of the audit with its person and provider', async () => {
  const redirect = { location: 'https://farm.example/' }
  const from = { requestId: 'r', address: '192.0.2.1' }
  const end = (session?: object) => {
    const ended = { redirect, ...(session && { session }) }
    const given = { 'accounts.endSignIn': ended, 'records.recordWrite': 0 }
    return answered('GET /sign-in/callback?code=c&state=s', given, { attempt: 'cookie', from })
  }
  const ended = "accounts.endSignIn({ code: 'c', state: 's' }, 'cookie')"
  expect(await end()).toEqual({ asked: [ended], status: 200, body: redirect })
  const who = { key: { id: 's1', name: 'Abby' }, account: person }
  const row = { ...from, ...who, action: 'endSignIn', parameters: { provider: 'oidc' } }
  expect((await end({ id: 's1', account: person })).asked).toEqual([
    ended,
    `records.recordWrite(${shown(row)}, { outcome: 'done', status: 303 })`,
  ])
})

describe('a stream', () => {
  const whole = async (stream: unknown) =>
    stream instanceof Stream ? new Response(stream.body).text() : expect.fail('no stream')

  test('has the metrics as their registry writes them', async () => {
    const { body } = await answered('GET /metrics', { 'metrics.text': 'up 1' })
    expect(await whole(body)).toBe('up 1')
  })

  test.each(['GET /mods/pack', 'GET /mods/shared-pack?link=l'])('of %s is a zip to keep', async (line) => {
    let isClosed = false
    const pack = {
      ...{ bytes: 3, tag: 't' },
      read: async () => new TextEncoder().encode('zip'),
      async close() {
        isClosed = true
      },
    }
    const { body } = await answered(line, { 'mods.packLinkOf': 'p', 'mods.modsPack': pack })
    const headers = { ETag: '"t"', 'Content-Disposition': 'attachment; filename="mods.zip"' }
    expect(body).toMatchObject({ type: 'application/zip', status: 200, bytes: 3, headers })
    expect([isClosed, await whole(body), isClosed]).toEqual([false, 'zip', true])
  })

  test('has the audit page by page, one row in a line', async () => {
    const pages = (query: { readonly before?: number }) =>
      query.before === undefined
        ? { entries: [{ id: '3' }, { id: '2' }], next: '2' }
        : { entries: [{ id: '1' }] }
    const { asked, body } = await answered('GET /audit/export?action=announce', of('records.audit', pages))
    expect(body).toMatchObject({ type: 'application/jsonl', status: 200 })
    expect(await whole(body)).toBe('{"id":"3"}\n{"id":"2"}\n{"id":"1"}\n')
    expect(asked).toEqual([
      "records.audit({ action: 'announce', limit: 500 })",
      "records.audit({ action: 'announce', limit: 500, before: 2 })",
    ])
  })

  const archive = 'abcdefghij'
  /** Reads four bytes at most. */
  const readBackup = (_id: string, from: number, length: number) => ({
    bytes: 10,
    piece: new TextEncoder().encode(archive.slice(from, from + Math.min(length, 4))),
  })
  const download = (more: Asked = {}, read: unknown = readBackup) =>
    answered('GET /backups/download?id=b', of('backups.readBackup', read), more)

  test.each([
    [undefined, undefined],
    ['bytes=-', undefined],
    ['bytes=5-2', undefined],
    ['bytes=0-1,3-4', undefined],
    ['xbytes=0-1', undefined],
    ['bytes=0-0', [0, 1]],
    ['BYTES= 2-4 ', [2, 5]],
    ['bytes=07-10', [7, 10]],
    ['bytes=7-', [7, 10]],
    ['bytes=-3', [7, 10]],
    ['bytes=-30', [0, 10]],
    ['bytes=5-30', [5, 10]],
    ['bytes=5-5', [5, 6]],
  ])('of an archive with the range %s has %j', async (range, span) => {
    const [from = 0, end = 10] = span ?? []
    for (const ifRange of [undefined, '"b"']) {
      const { body } = await download({ range: { range, ifRange } })
      const status = span === undefined ? 200 : 206
      expect(body).toMatchObject({ type: 'application/zip', status, bytes: end - from })
      expect((body as Stream).headers).toEqual({
        'Accept-Ranges': 'bytes',
        ETag: '"b"',
        'Content-Disposition': 'attachment; filename="b.zip"',
        ...(span !== undefined && { 'Content-Range': `bytes ${from}-${end - 1}/10` }),
      })
      expect(await whole(body)).toBe(archive.slice(from, end))
    }
    const { body } = await download({ range: { range, ifRange: '"c"' } })
    expect(body).toMatchObject({ status: 200, bytes: 10 })
  })

  test.each(['bytes=10-', 'bytes=10-12', 'bytes=-0'])('of an archive is 416 for %s', async (range) => {
    const body = refusal('range_not_satisfiable', 'The archive has 10 bytes; the range is beyond them')
    expect(await download({ range: { range } })).toMatchObject({ status: 416, body, bytes: 10 })
  })

  test('of an archive reads only what is left, and only when it is asked for', async () => {
    const { asked, body } = await download()
    expect(asked).toEqual(["backups.readBackup('b', 0, 0)"])
    await whole(body)
    const reads = [
      "backups.readBackup('b', 0, 10)",
      "backups.readBackup('b', 4, 6)",
      "backups.readBackup('b', 8, 2)",
    ]
    expect(asked.slice(1)).toEqual(reads)
  })

  test('of an archive is 404 without it, and ends where the archive became shorter', async () => {
    expect((await download({}, () => undefined)).body).toEqual(missing('backup_not_found'))
    const shorter = await download({}, () => ({ bytes: 10, piece: new Uint8Array() }))
    await expect(whole(shorter.body)).rejects.toThrow('the archive is shorter than it was')
  })
})

describe('the fleet', () => {
  test('lists where Prometheus finds the metrics of each farm', async () => {
    const given = { 'fleet.list': [{ farm: 'meadow' }], 'fleet.address': { host: 'edge:80', basePath: '/e' } }
    expect((await answered('GET /farms/targets', given)).body).toEqual([
      { targets: ['edge:80'], labels: { __metrics_path__: '/e/farms/meadow/metrics', farm: 'meadow' } },
    ])
  })

  test.each([
    [
      'PUT /farms/meadow?overlapMinutes=5',
      "'overlapMinutes' needs 'rotate': api, link or all",
      'overlapMinutes',
    ],
    ['PUT /farms/meadow?rotate=key', "Parameter 'rotate' must be api, link or all", 'rotate'],
    [
      'PUT /farms/meadow?rotate=api&overlapMinutes=10081',
      "Parameter 'overlapMinutes' must be an integer from 0 to 10080",
      'overlapMinutes',
    ],
    [
      ...(['POST /farms/actions {"action":"backup"}'] as const),
      ...(["Name the farms in 'farms', or tags of farms in 'tags'", 'farms'] as const),
    ],
    [
      ...(['POST /farms/actions {"action":"announce","tags":["eu"]}'] as const),
      ...(["Member 'message' is missing", 'arguments.message'] as const),
    ],
    ['POST /farms/actions {"action":"backup","tags":["eu"]}', "No farm has one of these 'tags'", 'tags'],
  ])('refuses %s', async (line, error, parameter) => {
    const { status, body } = await answered(line, of('fleet.beginAction', undefined))
    expect([status, body]).toEqual([400, refusal('invalid_parameter', error, { parameter })])
  })

  test('begins an action at farms or at those with a tag, five of them at once where the request has no number', async () => {
    const begin = (request: string) =>
      answered(`POST /farms/actions ${request}`, of('fleet.beginAction', 'a'))
    expect(await begin('{"action":"backup","farms":["meadow"]}')).toEqual({
      asked: ["fleet.beginAction({ action: 'backup', farms: [ 'meadow' ], arguments: {}, atOnce: 5 })"],
      status: 202,
      body: { id: 'a' },
    })
    const { asked } = await begin(
      '{"action":"announce","tags":[" eu "],"arguments":{"message":"Hi"},"atOnce":1}',
    )
    const request = "{ action: 'announce', tags: [ 'eu' ], arguments: { message: 'Hi' }, atOnce: 1 }"
    expect(asked).toEqual([`fleet.beginAction(${request})`])
  })
})
