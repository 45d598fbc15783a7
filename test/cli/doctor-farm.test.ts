/** The doctor's checks of the farm, with the fix of each fault. */
import { expect, test } from 'vitest'
import { status } from '../../handlers/endpoints/status.ts'
import { nodeServer } from '../runtime/node/node-server.ts'
import { asCheck, doctor, faults, type Reported, strong, unusedUrl } from './doctor.ts'
import { at, run, runInTurn, type Variables } from './farmgate.ts'
import { answering, farmWith, healthWith } from './faulty.ts'

test('a farm without faults: a line with ✔ for each check, exit code 0', async () => {
  const server = await nodeServer()
  try {
    server.saved.save({ farmName: (await server.bridge.status()).farmName })
    const headers = { Authorization: `Bearer ${server.key}` }
    expect((await fetch(`${server.url}/backups`, { method: 'POST', headers })).status).toBe(201)
    const { code, stdout, stderr } = await run(['doctor'], at(server))
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const lines = stdout.trim().split('\n')
    expect(lines.filter((line) => !line.startsWith('✔ '))).toEqual([])
    expect(lines).toContain('✔ backups: the last verified one is less than 2 hours old')
    expect(lines).toContain('✔ game host: farmgate can start and stop the game')
    expect(lines.map((line) => /^✔ ([^:]+):/.exec(line)?.[1])).toEqual(
      expect.arrayContaining(['farmgate', 'key', 'version', 'clock', 'game', 'night', 'backups']),
    )
  } finally {
    await server.stop()
  }
})

test('in the environment of farmgate the doctor checks the farm that runs there', async () => {
  const server = await nodeServer()
  try {
    const { of } = await doctor({ API_KEY: server.key, API_PORT: String(server.port) })
    expect(of('port')).toMatchObject([{ state: 'ok' }])
    expect(of('key')).toMatchObject([{ state: 'ok' }])
  } finally {
    await server.stop()
  }
})

test('no answer, and a missing key are named', async () => {
  const closed = await doctor({ FARMGATE_URL: unusedUrl })
  expect(closed).toMatchObject({ code: 1 })
  expect(closed.of('farmgate')).toMatchObject([
    { state: 'broken', found: expect.stringContaining('ECONNREFUSED') },
  ])
  const without = await doctor({ FARMGATE_URL: await answering(farmWith(), strong) })
  expect(without.of('key')).toMatchObject([{ state: 'warning', found: 'none is given' }])
})

test.each([
  ['GAME_HOST', '/host', 'game host'],
  ['MODS_DIR', '/mods', 'mods'],
])('a farm without %s is named in one line, and is right', async (variable, path, check) => {
  const answer = { status: 501, body: { error: 'not set up', code: 'unsupported' } }
  const FARMGATE_URL = await answering(farmWith({}, { [path]: answer }), strong)
  const { faults, of } = await doctor({ FARMGATE_URL, FARMGATE_KEY: strong })
  expect(faults).toEqual([])
  expect(of(check)).toMatchObject([{ state: 'ok', found: expect.stringContaining(`${variable} is not set`) }])
})

test('the doctor names a next start that creates a new farm, where the farm has saves', async () => {
  const next = { state: 'missing', name: 'Gone_1' }
  const faultsWith = async (saves: readonly object[]) => {
    const FARMGATE_URL = await answering(farmWith({}, { '/saves': { body: { saves, next } } }), strong)
    return (await doctor({ FARMGATE_URL, FARMGATE_KEY: strong })).faults
  }
  expect(await faultsWith([{}])).toMatchObject([{ check: 'next start', state: 'broken' }])
  expect(await faultsWith([])).toEqual([])
})

test('a newer release is a warning, with the command that updates to it', async () => {
  const update = { version: '99.0.0', command: './farmgate update' }
  const FARMGATE_URL = await answering(farmWith({}, { '/stats': { body: { update } } }), strong)
  expect((await doctor({ FARMGATE_URL, FARMGATE_KEY: strong })).faults).toMatchObject([
    {
      check: 'newer release',
      state: 'warning',
      found: 'farmgate 99.0.0 is available',
      fix: expect.stringContaining(update.command),
    },
  ])
})

test('the doctor and `farmgate status` say the first cause for which friends cannot join, with its next step', async () => {
  const cause = { check: 'night', state: 'wrong', message: 'A festival is on.', next: 'Wait until it ends.' }
  const join = { checks: [{ check: 'process', state: 'ok', message: 'It runs.' }, cause], first: 'night' }
  const FARMGATE_URL = await answering(
    farmWith({}, { '/join': { body: join }, '/status': { body: status.example } }),
    strong,
  )
  const variables = { FARMGATE_URL, FARMGATE_KEY: strong }
  const { of, code } = await doctor(variables)
  expect(of('friends cannot join')).toEqual([
    { check: 'friends cannot join', state: 'warning', found: cause.message, fix: cause.next },
  ])
  expect(code).toBe(0)
  expect((await run(['status'], variables)).stdout).toMatch(
    /^Joining +A festival is on\. Wait until it ends\.$/m,
  )
})

test('farmgate’s own metrics show the ticket service when this machine cannot reach it', async () => {
  const metrics = (lines: string[]) => lines.map((line) => `farmgate_ticket_service_${line}\n`).join('')
  const farm = async (...lines: string[]) =>
    doctor({
      FARMGATE_URL: await answering(farmWith({}, { '/metrics': { body: metrics(lines) } })),
      FARMGATE_KEY: strong,
    })
  const late = await farm('available 1', 'logged_in 1', 'token_days_remaining 7')
  expect(late.of('Steam token')).toMatchObject([{ state: 'warning', found: 'it ends in 7 days' }])
  const tomorrow = await farm('available 1', 'logged_in 1', 'token_days_remaining 1')
  expect(tomorrow.of('Steam token')).toMatchObject([{ state: 'warning', found: 'it ends in 1 day' }])
})

const ofTheFarm: readonly (readonly [object, Parameters<typeof farmWith>[1], Reported])[] = [
  [
    { gameAvailable: false },
    {},
    [
      'game',
      'broken',
      /does not reach it/,
      'Start the game server; /help/troubleshooting#causes has the causes.',
    ],
  ],
  [
    {},
    { '/host': { body: { state: 'unknown' } } },
    [
      'game host',
      'broken',
      /does not answer/,
      'Check GAME_HOST and its variables; farmgate restart names the cause.',
    ],
  ],
  [
    {},
    { '/host': { body: { state: 'stopped' } } },
    [
      'game host',
      'broken',
      /the game answers, but the process that farmgate would stop does not run/,
      'GAME_HOST or GAME_API_URL names another game: make them name the same.',
    ],
  ],
  [
    { isFrozen: true, lastTickMs: 9000 },
    {},
    ['game', 'broken', /frozen: no tick for 9000 ms/, 'Look at its log, and restart the game server.'],
  ],
  [
    {},
    { '/status': { body: { isOnline: true, dayTransitionComplete: false } } },
    [
      'night',
      'broken',
      /has not ended for 1 s/,
      'Look at the log of the game server; when it saves no more, restart it: the last day is lost.',
    ],
  ],
  [
    // A night that the status does not show.
    { isStale: true },
    {},
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
    ['backups', 'warning', /sees no saves/, 'Set SAVES_DIR (/help/backups).'],
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
      'If anyone has played since, look at the log of farmgate.',
    ],
  ],
  [
    {},
    {
      '/backups': {
        body: {
          backups: [{ offsite: 'done' }, { offsite: 'failed' }],
          state: { saves: 'mounted', lastVerifiedAt: new Date().toISOString() },
        },
      },
    },
    [
      'off-site copies',
      'warning',
      /1 of 2 backups could not be copied/,
      'The log of farmgate has the cause: "backups cannot be copied off-site".',
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

test('each fault of a farm is the only check that is not ✔, and is reported with its fix, which names help pages at the farm', async () => {
  const farms = await Promise.all(ofTheFarm.map(([health, answers]) => answering(farmWith(health, answers))))
  const finished = await runInTurn(
    farms.map((url) => ['doctor', '--json', '--patience', '1', '--url', url]),
    { FARMGATE_KEY: strong },
  )
  for (const [index, [, , [check, state, found, fix]]] of ofTheFarm.entries()) {
    const served = fix?.replace('/help/', `${farms[index]}/help/`)
    expect(faults(finished[index]?.stdout)).toEqual([asCheck([check, state, found, served])])
    expect(finished[index]?.code).toBe(state === 'broken' ? 1 : 0)
  }
})

test('a farm that anyone controls without a key is reported, with its fix', async () => {
  const farm = await answering(farmWith())
  const { stdout } = await run(['doctor', '--json', '--patience', '1', '--url', farm])
  const fix = 'Set API_KEY, and restart farmgate.'
  expect(faults(stdout)).toEqual([asCheck(['key', 'warning', /anyone controls this farm/, fix])])
})

test('a missing farm is a fault with its fix, and the other checks still run', async () => {
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

const slow = 3000
const tooSlow = 6000
const slowFix = 'It is slow: look for load on its machine, and at the network.'

/** The parts of an installation, each at its own address. @param after milliseconds until any of them answers */
async function installation(after: number): Promise<Variables> {
  const late = (body: object, status = 200) => ({ body, status, after })
  const farm = farmWith({}, { '/health': () => late(healthWith()) })
  return {
    FARMGATE_URL: await answering(farm),
    FARMGATE_KEY: strong,
    API_KEY: `${strong}2`,
    API_PORT: new URL(await answering(farmWith())).port,
    GAME_API_URL: await answering({ '/players': late({ players: [] }) }),
    GAME_API_KEY: strong,
    PLATFORM_AUTH_URL: await answering({ '/health': late({ logged_in: true, token_days_remaining: 100 }) }),
    EDGE_URL: await answering({
      '/health': late(healthWith()),
      '/link': { status: 426 },
      '/history/days': late({ days: [] }),
    }),
    EDGE_LINK_KEY: 'link-key-that-is-long-enough',
  }
}

test('a farm, game server, ticket service, edge and link that take seconds are reported as slow', async () => {
  const { code, faults } = await doctor(await installation(slow))
  // A slow answer gives an inexact clock of the farm.
  const reported = faults.filter((one) => (one as { check: string }).check !== 'clock')
  const names = ['game server', 'ticket service', 'edge', 'link', 'farmgate']
  expect(reported).toEqual(names.map((name) => asCheck([name, 'warning', /after \d{4} ms/, slowFix])))
  expect(code).toBe(0)
})

test('a farm, game server, ticket service and edge without an answer within 5 s are reported as unreachable', async () => {
  const { code, faults } = await doctor(await installation(tooSlow))
  const silent = /does not answer: no answer within 5 s/
  expect(faults).toEqual([
    asCheck(['game server', 'broken', silent, 'Start it with API_ENABLED=true, and check GAME_API_URL.']),
    asCheck(['ticket service', 'broken', silent, 'Start it, and check PLATFORM_AUTH_URL.']),
    asCheck(['edge', 'broken', silent, 'Check EDGE_URL, and that the Worker is deployed.']),
    asCheck(['farmgate', 'broken', silent, 'Check the address, and start farmgate: npm run serve.']),
  ])
  expect(code).toBe(1)
})
