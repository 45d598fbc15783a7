/** What each member of a body may be, and the sentence for what it may not. */
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { endpoints } from '../../../handlers/endpoints/all-endpoints.ts'
import { fleetEndpoints } from '../../../handlers/endpoints/fleet-endpoints.ts'
import { readBody, readStrict } from '../../../handlers/json-body.ts'
import { Problem, type ProblemDetails } from '../../../handlers/problem.ts'
import { sentParameters } from '../../../runtime/dispatch/sent-parameters.ts'

const x = (length: number) => 'x'.repeat(length)
const many = <T>(count: number, item: T) => Array.from({ length: count }, () => item)
const all = ['read', 'chat', 'control', 'admin']
const scopes = 'a list of some of read, chat, control, admin'
const flag = { words: 'true or false', taken: [true, false], refused: ['true', 1, null] }

/** A whole number from one to another. */
const whole = (least: number, most: number) => ({
  words: `a whole number from ${least} to ${most}`,
  taken: [least, most],
  refused: [least - 1, most + 1, least + 0.5, String(least)],
})
const texts = (longest: number) => ({
  words: `a text of 1 to ${longest} characters without blanks at its ends`,
  taken: ['a', 'a b', x(longest)],
  refused: [7, '', ' a', 'a ', x(longest + 1)],
})
const oneOf = (...choices: readonly string[]) => ({
  words: `one of ${choices.join(', ')}`,
  taken: choices,
  refused: ['', 'other', 7],
})

const group = { provider: 'oidc', id: 'g', scopes: ['read'] }
const role = { id: '1', scopes: ['chat'] }
const account = { platform: 'steam', id: '7' }
const event = [
  ...['player.joined', 'player.left', 'player.unlisted', 'chat.message', 'day.started', 'farm.online'],
  ...['farm.away', 'farm.stuck', 'game.crashed', 'game.hung', 'game.restarted', 'game.wrong_farm'],
  ...['watchdog.gave_up', 'backup.failed', 'token.expiring', 'key.throttled'],
]
const actions = ['restart', 'start', 'stop', 'backup', 'announce', 'reload', 'clock_speed', 'rendering']
const minutes = {
  words: 'a list of at most 10 whole numbers from 60 to 1, each smaller than the one before',
  taken: [[], [60], [1], [10, 9, 8, 7, 6, 5, 4, 3, 2, 1]],
  refused: [5, ['1'], [61], [0], [1.5], [11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]],
}
interface Bounds {
  /** After `must be`. */
  readonly words: string
  readonly taken: readonly unknown[]
  readonly refused: readonly unknown[]
}
const schedule = {
  name: texts(64),
  cron: {
    words: 'the five fields of a cron expression, such as 0 5 * * * for 5:00 each day',
    taken: [x(100)],
    refused: [7, x(101)],
  },
  timeZone: {
    words: 'a time zone of the IANA list, such as Europe/Berlin',
    taken: [x(64)],
    refused: [7, x(65)],
  },
  do: {
    words: `an object whose action is one of ${actions.join(', ')}`,
    taken: actions.map((action) => ({ action, any: 1 })),
    refused: ['backup'],
  },
  onlyWhenEmpty: flag,
  warnMinutes: minutes,
  enabled: flag,
}
const newWorld = {
  farmName: texts(64),
  farmType: {
    words: 'a whole number from 0 to 7, or the name or mod id of a farm',
    taken: [0, 7, 'a', x(128)],
    refused: [-1, 8, 1.5, '', x(129), true],
  },
  profitMargin: {
    words: 'a number from 0.25 to 1',
    taken: [0.25, 0.5, 1],
    refused: [0.24, 1.01, '1'],
  },
  startingCabins: whole(0, 100),
  spawnMonstersAtNight: oneOf('auto', 'true', 'false'),
}
const load = {
  when: { words: 'now, empty or night', taken: ['now', 'empty', 'night'], refused: ['soon', ''] },
  warnMinutes: { ...minutes, refused: [...minutes.refused, [5, 5], [1, 5]] },
  backup: flag,
  reason: { words: 'a text of 1 to 200 characters', taken: ['a', x(200)], refused: [7, '', x(201)] },
}
const host = { ...load, force: flag }
const code = { words: 'the code of an invitation', taken: ['', x(200)], refused: [7, x(201)] }

const bodies: Readonly<Record<string, Readonly<Record<string, Bounds>>>> = {
  'POST /keys': {
    name: texts(64),
    scopes: { words: scopes, taken: [['read'], all], refused: ['read', [], ['all'], many(5, 'read')] },
    expiresInDays: whole(1, 3650),
    expiresInMinutes: whole(1, 1440),
  },
  'PATCH /accounts': {
    scopes: { words: scopes, taken: [[], all], refused: ['read', ['all'], many(5, 'read')] },
  },
  'PATCH /accounts/groups': {
    groups: {
      words:
        'a list of at most 100 groups: {"provider":"discord" or "oidc","id":"<Discord role or group>","scopes":[some of read, chat, control, admin]}',
      taken: [[], many(100, group), [{ ...group, provider: 'discord', id: x(128), scopes: all }]],
      refused: [
        ...[7, [7], [{}], [{ ...group, other: 1 }], many(101, group), [{ ...group, provider: 'x' }]],
        ...[7, '', ' a', 'a ', x(129)].map((id) => [{ ...group, id }]),
        ...['read', [], ['all'], many(5, 'read')].map((some) => [{ ...group, scopes: some }]),
      ],
    },
  },
  'POST /invitations': {
    scopes: { words: scopes, taken: [['read'], all], refused: ['read', [], ['all'], many(5, 'read')] },
    expiresInDays: whole(1, 365),
    uses: whole(1, 1000),
  },
  'POST /announce': {
    message: {
      words: 'a text of 1 to 450 characters that is not blank',
      taken: ['a', x(450)],
      refused: [7, '', x(451)],
    },
  },
  'POST /sign-in/session': { code },
  'POST /invitations/show': { code },
  'POST /invitations/accept': { code },
  'POST /downloads': {
    path: {
      words: 'the path of a download with its query, such as /backups/download?id=<id>',
      taken: ['/audit/export', x(2048)],
      refused: [7, x(2049)],
    },
  },
  'PUT /allowlist': {
    accounts: {
      words:
        'a list of at most 200 accounts, each once: {"platform":"steam" or "galaxy","id":"digits","note"?:"up to 64 characters"}',
      taken: [
        [],
        many(200, account),
        [{ platform: 'galaxy', id: '1'.repeat(20), note: x(64) }],
        [{ ...account, note: '' }],
      ],
      refused: [
        ...[
          7,
          [7],
          [{}],
          [{ ...account, other: 1 }],
          many(201, account),
          [{ ...account, platform: 'x' }],
          [{ ...account, note: 7 }],
        ],
        ...[7, '', '0', '1x', 'x1', '1'.repeat(21)].map((id) => [{ ...account, id }]),
        [{ ...account, note: x(65) }],
      ],
    },
  },
  'POST /host/start': host,
  'POST /host/stop': host,
  'POST /host/restart': host,
  'POST /saves/choose': load,
  'POST /saves/new': {
    ...host,
    ...newWorld,
    ...{ separateWallets: flag, allowCabinRelocation: flag, allowIpConnections: flag },
    ...{ maxPlayers: whole(1, 100), cabinStrategy: oneOf('CabinStack', 'FarmhouseStack', 'None') },
  },
  'POST /host/console': {
    line: {
      words: 'one line of 1 to 512 characters without control characters',
      taken: ['a', x(512), 'Grüße 🐔'],
      refused: [7, '', x(513), 'a\nb', '\u007f', '\u009f'],
    },
  },
  'POST /schedules': schedule,
  'PATCH /schedules': schedule,
  'PATCH /mods': {
    side: { words: 'server, players or unknown', taken: ['server', 'players', 'unknown'], refused: ['x', 7] },
  },
  'POST /mods/pack-links': { expiresInDays: whole(1, 365) },
  'POST /webhooks': {
    name: texts(64),
    url: {
      words: 'an http:// or https:// address of at most 2048 characters without user, password and fragment',
      taken: ['http://a', 'HTTPS://a/~!', `http://${x(2041)}`],
      refused: [7, 'http://', 'ftp://a', 'xhttp://a', 'http://a b', 'http://ä', `http://${x(2042)}`],
    },
    events: {
      words: `a list of some of ${event.join(', ')}`,
      taken: [['farm.away'], event],
      refused: ['farm.away', [], ['x'], many(17, 'farm.away')],
    },
    format: oneOf('standard', 'discord', 'text'),
  },
  'PATCH /discord/servers': {
    id: {
      words: 'the id of a Discord server, as GET /discord/servers returns it',
      taken: ['0', '1'.repeat(20)],
      refused: [7, '', '1x', 'x1', '1'.repeat(21)],
    },
    roles: {
      words: 'a list of at most 50 roles: {"id":"<id of the role>","scopes":[some of chat, control]}',
      taken: [[], many(50, role), [{ ...role, scopes: ['chat', 'control'] }]],
      refused: [
        ...[
          7,
          [7],
          [{}],
          [{ ...role, other: 1 }],
          many(51, role),
          [{ ...role, id: 7 }],
          [{ ...role, id: 'x' }],
        ],
        ...['chat', [], ['read'], many(3, 'chat')].map((some) => [{ ...role, scopes: some }]),
      ],
    },
  },
  'PATCH /settings': {
    game: { words: 'an object', taken: [{}], refused: [7] },
    server: { words: 'an object', taken: [{}], refused: [7] },
    ...Object.fromEntries(Object.entries(newWorld).map(([member, bounds]) => [`game.${member}`, bounds])),
    'game.petBreed': whole(-1, 9),
    'game.petName': texts(64),
    ...Object.fromEntries(
      [
        ...['game.remixBundles', 'game.remixMines', 'game.communityCenterYear1', 'game.cabinLayoutNearby'],
        ...['game.useLegacyRandom', 'game.mushroomCave', 'game.buyJoja', 'server.separateWallets'],
        ...['server.allowCabinRelocation', 'server.verboseLogging', 'server.allowIpConnections'],
        'server.enforceFarmhandOwnership',
      ].map((member) => [member, flag]),
    ),
    'server.maxPlayers': whole(1, 100),
    'server.cabinStrategy': oneOf('CabinStack', 'FarmhouseStack', 'None'),
    'server.existingCabinBehavior': oneOf('KeepExisting', 'MoveToStack'),
    'server.lobbyMode': oneOf('Shared', 'Individual'),
    'server.activeLobbyLayout': texts(64),
    'server.adminSteamIds': {
      words: 'a list of at most 100 account ids, each a text of digits',
      taken: [[], ['1'.repeat(20)], many(100, '1')],
      refused: ['1', [1], [''], ['1x'], ['x1'], ['1'.repeat(21)], many(101, '1')],
    },
    'server.networkBroadcastPeriod': whole(1, 60),
  },
  'PATCH /farms/{farm}': {
    tags: {
      words:
        'a list of at most 20 texts of 1 to 32 visible characters, with single blanks between words and without commas',
      taken: [[], ['in the north'], [x(32)], many(20, 'a')],
      refused: [
        'a',
        [7],
        [''],
        [' '],
        ['a  b'],
        ['a,b'],
        ['a，b'],
        ['a、b'],
        ['a\u0007'],
        ['a\u200bb'],
        ['a\u202eb'],
        [x(33)],
        many(21, 'a'),
      ],
    },
    note: {
      words: 'a text of at most 500 visible characters',
      taken: ['', 'two\nlines', x(500)],
      refused: [7, 'a\u0007', 'a\u202eb', x(501)],
    },
  },
  'POST /farms/actions': {
    farms: {
      words: 'a list of at most 2000 texts',
      taken: [['a'], many(2000, 'a')],
      refused: ['a', [7], many(2001, 'a')],
    },
    tags: {
      words: 'a list of at most 2000 texts',
      taken: [['a'], many(2000, 'a')],
      refused: ['a', [7], many(2001, 'a')],
    },
    action: { ...oneOf('announce', 'restart', 'backup'), taken: ['restart'] },
    arguments: { words: 'an object', taken: [{}], refused: [7] },
    atOnce: whole(1, 50),
    stopAfterFailures: whole(1, 10_000),
  },
}

const described = [...endpoints, ...fleetEndpoints]

test('the bodies with bounds of their own are all here', () => {
  const withBody = described.flatMap(({ method, path, body }) => (body ? [`${method} ${path}`] : []))
  // Another test has the options of a new game.
  expect(withBody.toSorted()).toEqual([...Object.keys(bodies), 'POST /newgame'].toSorted())
})

/** The problem that a call throws; its result without one. */
function thrown(call: () => unknown): unknown {
  try {
    return call()
  } catch (error) {
    return error
  }
}

describe.each(Object.entries(bodies))('%s', (line, members) => {
  const body = described.find(({ method, path }) => `${method} ${path}` === line)?.body
  const read = (member: string, value: unknown) => {
    const [first = '', second] = member.split('.')
    const given = {
      ...(body?.example as object),
      [first]: second === undefined ? value : { [second]: value },
    }
    return body === undefined ? expect.fail(`${line} has no body`) : readBody(body, given, false)
  }

  test.each(Object.entries(members))('%s has its bounds', (member, { words, taken, refused }) => {
    for (const value of taken) expect(read(member, value)).toHaveProperty(member, value)
    const sentence = `Member '${member}' must be ${words}`
    for (const value of refused)
      expect([value, thrown(() => read(member, value))]).toEqual([
        value,
        new Problem('invalid_parameter', sentence, { parameter: member }),
      ])
  })
})

test.each<readonly [body: unknown, sentence: string, details: ProblemDetails]>([
  [undefined, 'The body is not valid JSON', {}],
  ...[[], 7, 'text', null].map((body) => [body, 'The body must be a JSON object', {}] as const),
  [{ [x(65)]: 1 }, `Member '${x(64)}' is not known`, { parameter: x(64) }],
])('the body %j is refused: %s', (body, message, details) => {
  const problem = thrown(() => readStrict(v.strictObject({}), body))
  expect(problem).toStrictEqual(new Problem('invalid_parameter', message, details))
})

test('these members are required: a call without one is refused, by its name', () => {
  const required = described.flatMap(({ method, path, body }) => {
    const names = Object.keys(Object(body?.example)).filter((member) => {
      const { [member]: _, ...others } = Object(body?.example)
      const error = body && thrown(() => readBody(body, others, false))
      return error instanceof Problem && error.details.parameter === member
    })
    return names.length === 0 ? [] : [`${method} ${path}: ${names.join(', ')}`]
  })
  expect(required).toEqual([
    'POST /announce: message',
    'POST /keys: name, scopes',
    'POST /sign-in/session: code',
    'PATCH /accounts: scopes',
    'PATCH /accounts/groups: groups',
    'POST /invitations: scopes',
    'POST /invitations/show: code',
    'POST /invitations/accept: code',
    'POST /downloads: path',
    'POST /saves/new: farmName',
    'PUT /allowlist: accounts',
    'POST /host/console: line',
    'POST /schedules: name, cron, do',
    'PATCH /mods: side',
    'POST /mods/pack-links: expiresInDays',
    'POST /webhooks: name, url, events, format',
    'PATCH /discord/servers: id, roles',
    'POST /farms/actions: action',
  ])
})

test.each([
  ['POST /announce', { message: ' two\nlines\u0007' }, { author: 'Server', length: 9 }],
  ['POST /announce', { message: 7 }, { author: 'Server' }],
  ['POST /sign-in/session', { code: 'secret' }, {}],
  ['POST /invitations/show', { code: 'secret' }, {}],
  ['PUT /allowlist', { accounts: [{ note: 'Abby' }] }, { accounts: 1 }],
  ['PUT /allowlist', { accounts: 7 }, {}],
  [
    'POST /webhooks',
    { name: 'a', url: 'https://b/secret', events: [], x: 1 },
    { name: 'a', origin: 'https://b', events: [] },
  ],
  ['POST /webhooks', { format: 'text', url: 'https://user@b' }, { format: 'text' }],
  ['POST /webhooks', { url: 7 }, {}],
  ['POST /webhooks', { url: 'ftp://b' }, {}],
  ['POST /webhooks', { url: 'http://[' }, {}],
  ['POST /webhooks', { url: 'http://b/secret' }, { origin: 'http://b' }],
  [
    'POST /schedules',
    { name: 'a', do: { action: 'announce', message: 'b' } },
    { name: 'a', action: 'announce' },
  ],
  ['PATCH /schedules', { enabled: false, warnMinutes: [] }, { enabled: false, warnMinutes: [] }],
  [
    'PATCH /schedules',
    { cron: 'a', timeZone: 'b', onlyWhenEmpty: 1, x: 1 },
    { cron: 'a', timeZone: 'b', onlyWhenEmpty: 1 },
  ],
])('the audit shows of %s with %j only %j', (line, sent, shown) => {
  const endpoint = endpoints.find(({ method, path }) => `${method} ${path}` === line)
  expect(endpoint && sentParameters(endpoint, [], sent)).toStrictEqual(shown)
})
