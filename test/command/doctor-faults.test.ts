/** Each fault that the doctor names, with the words of its mend. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { asCheck, doctor, faults, strong, type Told } from './doctor.ts'
import { run, runInTurn, temporaryFolder } from './farmgate.ts'
import { answering, farmWith } from './faulty.ts'

const signIn = 'Sign in: docker compose run --rm ticket login'

const ofTheFarm: readonly (readonly [object, Parameters<typeof farmWith>[1], Told])[] = [
  [
    { gameAvailable: false },
    {},
    ['game', 'broken', /does not reach it/, 'Start the game server; docs/troubleshooting.md has the causes.'],
  ],
  [
    { isFrozen: true, lastTickMs: 9000 },
    {},
    ['game', 'broken', /frozen: no tick for 9000 ms/, 'Look at its log, and restart the game server.'],
  ],
  [
    {},
    { '/wait/status': { status: 408 } },
    [
      'night',
      'broken',
      /has not ended for 1 s/,
      'Look at the log of the game server; when it saves no more, restart it: the last day is lost.',
    ],
  ],
  [
    {},
    { '/openapi.json': { body: { info: { version: '0.0.1' } } } },
    ['version', 'warning', /farmgate there is 0\.0\.1/, 'Update the older one.'],
  ],
  [
    {},
    { '/openapi.json': { status: 404 } },
    ['version', 'warning', /not known/, 'Look at /openapi.json of the farm.'],
  ],
  [
    { timestamp: '2020-01-01T00:00:00.000Z' },
    {},
    ['clock', 'warning', /differs by -\d+ s/, 'Let both machines set their clocks by NTP.'],
  ],
  [
    {},
    { '/players': { status: 401 } },
    ['key', 'broken', /not accepted/, 'Give the API_KEY of this farm: farmgate login <url>.'],
  ],
  [
    { records: 'failed' },
    {},
    [
      'records',
      'broken',
      /in memory only/,
      'Look at the log of farmgate, and at the disk and the rights of DATA_DIR.',
    ],
  ],
  [
    {},
    { '/backups': { body: { backups: [], state: { saves: 'absent' } } } },
    ['backups', 'warning', /sees no saves/, 'Set SAVES_DIR (docs/backups.md).'],
  ],
  [
    {},
    { '/backups': { body: { backups: [], state: { saves: 'mounted' } } } },
    ['backups', 'warning', /no verified one/, 'Make one: farmgate backups make'],
  ],
  [
    {},
    {
      '/backups': {
        body: { backups: [], state: { saves: 'mounted', lastVerifiedAt: '2026-01-01T00:00:00Z' } },
      },
    },
    [
      'backups',
      'warning',
      /the last verified one is \d+ days old/,
      'If somebody has played since, look at the log of farmgate.',
    ],
  ],
  [
    {},
    {
      '/backups': {
        body: {
          backups: [{ elsewhere: 'done' }, { elsewhere: 'failed' }],
          state: { saves: 'mounted', lastVerifiedAt: new Date().toISOString() },
        },
      },
    },
    [
      'copies elsewhere',
      'warning',
      /1 of 2 backups could not be copied/,
      'The log of farmgate has the cause: "backups cannot be copied elsewhere".',
    ],
  ],
  [
    {},
    { '/health': { body: 'hello' } },
    ['farmgate', 'broken', /not farmgate's \(HTTP 200\)/, 'Check the address, and the proxy in front.'],
  ],
  [
    {},
    { '/metrics': { body: 'farmgate_ticket_service_available 0\n' } },
    ['ticket service', 'broken', /does not reach it/, 'Start it, and check PLATFORM_AUTH_URL.'],
  ],
  [{}, { '/players': { isCut: true } }, ['key', 'broken', /no answer/, 'Try again.']],
]

test('each fault of a farm is the only check that is not ✔, and is told with its mend', async () => {
  const farms = await Promise.all(ofTheFarm.map(([health, answers]) => answering(farmWith(health, answers))))
  const finished = await runInTurn(
    farms.map((url) => ['doctor', '--json', '--patience', '1', '--url', url]),
    { FARMGATE_KEY: strong },
  )
  for (const [index, [, , told]] of ofTheFarm.entries()) {
    expect(faults(finished[index]?.stdout)).toEqual([asCheck(told)])
    expect(finished[index]?.code).toBe(told[1] === 'broken' ? 1 : 0)
  }
})

test('a farm that everybody controls without a key is told, with its mend', async () => {
  const farm = await answering(farmWith())
  const { stdout } = await run(['doctor', '--json', '--patience', '1', '--url', farm])
  const mend = 'Set API_KEY, and restart farmgate.'
  expect(faults(stdout)).toEqual([asCheck(['key', 'warning', /everybody controls this farm/, mend])])
})

test.each([
  ['is another program', 'hello', 'ticket service', 'broken', /is not it, or its key is wrong \(HTTP 200\)/],
  ['does not say how long its token lasts', { logged_in: true }, 'Steam token', 'warning', /not known/],
] as const)('a ticket service that %s is told with its mend', async (_, body, name, state, found) => {
  const PLATFORM_AUTH_URL = await answering({ '/health': { body } })
  const told = await doctor({ API_KEY: strong, PLATFORM_AUTH_URL })
  const mend = name === 'Steam token' ? /log of the ticket service/ : /PLATFORM_AUTH_URL/
  expect(told.faults).toContainEqual({
    check: name,
    state,
    found: expect.stringMatching(found),
    mend: expect.stringMatching(mend),
  })
})

test('wrong variables and a broken file of profiles are checks with a mend, and all other checks go on', async () => {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'farmgate'))
  const profiles = join(folder, 'farmgate', 'profiles.json')
  writeFileSync(profiles, 'broken')
  const { code, faults } = await doctor({
    XDG_CONFIG_HOME: folder,
    FARMGATE_URI: 'http://farm.example',
    FARMGATE_KEY_FILE: '/nowhere/key',
    ALLOW_INSECURE_SETUP: 'true',
    API_PORT: '2',
    DATA_DIR: join(profiles, 'data'),
    BACKUP_DIR: join(profiles, 'backups'),
    SETTINGS_PATH: '/nowhere/settings.json',
  })
  const variables = 'Set it anew, or unset it: docs/command-line.md has these variables.'
  const writable = 'Mount it without :ro, and give the user of this process the right to write there.'
  expect(faults).toEqual([
    asCheck([
      'SETTINGS_PATH',
      'broken',
      /cannot be read \(ENOENT\)/,
      'docs/configuration.md has every variable.',
    ]),
    asCheck(['API_KEY', 'warning', /everybody who reaches the address/, 'Set API_KEY.']),
    asCheck(['port', 'warning', /nothing answers at 2/, 'Start farmgate, or run the doctor where it runs.']),
    asCheck(['game server', 'warning', /a simulated farm is served/, 'Set GAME_API_URL and GAME_API_KEY.']),
    asCheck(['FARMGATE_KEY_FILE', 'broken', /cannot be read \(ENOENT\)/, variables]),
    asCheck(['FARMGATE_URI', 'broken', /is not known; FARMGATE_URL is meant/, variables]),
    asCheck(['DATA_DIR', 'broken', /cannot be written to/, writable]),
    asCheck(['BACKUP_DIR', 'broken', /cannot be written to/, writable]),
    asCheck([
      'SETTINGS_PATH',
      'broken',
      /cannot be read/,
      'Mount it, and give the user of this process the right to read it.',
    ]),
    asCheck([
      'profiles',
      'broken',
      /profiles\.json cannot be read: it is no file of profiles/,
      'Mend or delete the file, then: farmgate login <url>.',
    ]),
  ])
  expect(code).toBe(1)
})

test('a misspelt variable does not hide the farm that the others name', async () => {
  const variables = { FARMGATE_URL: await answering(farmWith()), FARMGATE_KEYY: strong, FARMGATE_KEY: strong }
  const { stdout, code } = await run(['doctor', '--json'], variables)
  expect(code).toBe(1)
  expect(JSON.parse(stdout)).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ check: 'FARMGATE_KEYY', state: 'broken' }),
      expect.objectContaining({ check: 'farmgate', state: 'ok' }),
      expect.objectContaining({ check: 'key', state: 'ok' }),
    ]),
  )
})

test('that no farm is named is a fault with its mend, and no end before the other checks', async () => {
  const { code, faults } = await doctor({})
  expect(faults[0]).toEqual(
    asCheck([
      'farm',
      'broken',
      /No farm is known/,
      'Save one: farmgate login <url>. Or set FARMGATE_URL and FARMGATE_KEY, or give --url and --key-file.',
    ]),
  )
  expect(code).toBe(1)
})

test('faults of a game server, a ticket service, an edge, a link and a port are told with their mends', async () => {
  const { faults } = await doctor({
    API_KEY: 'aaaaaaaaaaaaaaaaaaaabbbb',
    API_PORT: new URL(await answering({ '/health': { body: 'hello' } })).port,
    GAME_API_URL: await answering({ '/players': { status: 500 } }),
    GAME_API_KEY: 'aaaaaaaaaaaaaaaaaaaabbbb',
    PLATFORM_AUTH_URL: await answering({
      '/health': { body: { logged_in: false, token_days_remaining: 0 } },
    }),
    EDGE_URL: await answering({ '/health': { body: { gameAvailable: true } }, '/link': { status: 401 } }),
    EDGE_LINK_KEY: 'link-key-that-is-long-enough',
  })
  expect(faults.slice(0, 7)).toEqual([
    asCheck([
      'API_KEY',
      'warning',
      /easier to guess than a random key/,
      'Use 32 random bytes: openssl rand -base64 32',
    ]),
    asCheck([
      'API_KEY',
      'warning',
      /also the key of the game server/,
      'Give clients a key of their own: then a leaked one can be replaced without the game server.',
    ]),
    asCheck(['port', 'broken', /another program answers/, 'Stop it, or set API_PORT to a free port.']),
    asCheck([
      'game server',
      'broken',
      /answers HTTP 500 to \/players/,
      'Check GAME_API_URL, and the version of its image.',
    ]),
    asCheck(['Steam session', 'broken', /not signed in/, signIn]),
    asCheck(['Steam token', 'broken', /it has ended/, signIn]),
    asCheck([
      'link',
      'broken',
      /does not accept EDGE_LINK_KEY/,
      'Set it to the LINK_KEY of the Worker, or to the linkKey of this farm.',
    ]),
  ])
})

test('more faults of the same parts are told with their mends', async () => {
  const { faults } = await doctor({
    API_KEY: strong,
    API_PORT: '2',
    GAME_API_URL: await answering({ '/players': { status: 401 } }),
    GAME_API_KEY: `${strong}2`,
    PLATFORM_AUTH_URL: await answering({ '/health': { body: { logged_in: true, token_days_remaining: 7 } } }),
    EDGE_URL: await answering({ '/health': { body: 'hello' } }),
    EDGE_LINK_KEY: 'link-key-that-is-long-enough',
  })
  expect(faults.slice(1, 4)).toEqual([
    asCheck([
      'game server',
      'broken',
      /refuses GAME_API_KEY/,
      "Set GAME_API_KEY to the API_KEY of the game server's own environment.",
    ]),
    asCheck(['Steam token', 'warning', /ends in 7 days/, signIn]),
    asCheck([
      'edge',
      'broken',
      /is not an edge of farmgate \(HTTP 200\)/,
      'Check EDGE_URL, with the path of the farm.',
    ]),
  ])
})
