/** The bundle for asking for help, of a farm with a canary in every place that holds a secret or an address. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { connect } from '../../../client/index.ts'
import { readArchive } from '../../../services/archives/read-archive.ts'
import { startGameServer } from '../../game-server/game-server.ts'
import { newFolder } from '../../new-folder.ts'
import { eventually } from '../../wait.ts'
import { openedFarm } from './open-farm.ts'

const secrets = {
  API_KEY: 'canary-api-key-of-32-characters-0',
  GAME_API_KEY: 'canary game key',
  EDGE_LINK_KEY: 'canary-link-key',
  BACKUP_S3_ACCESS_KEY_ID: 'canary-access-id',
  BACKUP_S3_SECRET_ACCESS_KEY: 'canary/secret+access',
  BACKUP_PASSPHRASE: 'canary:passphrase of the copies',
  PELICAN_KEY: 'ptlc_canary_pelican',
  SIGN_IN_OIDC_CLIENT_SECRET: 'canary-oidc-secret',
}
const addresses = [
  'canary-ticket.example',
  'canary-edge.example',
  'canary-s3.example',
  'canary-issuer.example',
  'canary-page.example',
  'canary-hooks.example',
  'canary-ntfy.lan',
  'canary-panel.example',
  '203.0.113.77',
  '2001:db8::77',
]
const webhook = 'https://canary-hooks.example/T0P-CANARY-PATH?token=T0P-CANARY-PATH'
const others = ['canary-ticket-key-of-the-service', webhook, 'canary.person@mail.example']

/** The files of a bundle, in order. */
async function unpacked(zip: Buffer): Promise<ReadonlyMap<string, string>> {
  const path = join(newFolder(), 'bundle.zip')
  writeFileSync(path, zip)
  const files = new Map<string, string>()
  await readArchive(path, async (name, content) => {
    const pieces: Buffer[] = []
    for await (const piece of content) pieces.push(Buffer.from(piece))
    files.set(name, Buffer.concat(pieces).toString())
  })
  return files
}

async function canaryFarm() {
  const folder = newFolder()
  const game = await startGameServer({ key: secrets.GAME_API_KEY, snapshotEvery: 20 })
  onTestFinished(() => game.stop())
  game.world.join('Robin Canary', 4801n)
  const gameLog = join(folder, 'game.log')
  const { url, log } = await openedFarm({
    ...secrets,
    GAME_API_URL: game.url,
    GAME_HOST: 'command',
    GAME_START: '["true"]',
    GAME_STOP: '["true"]',
    GAME_RUNNING: '["true"]',
    GAME_LOG: gameLog,
    PLATFORM_AUTH_URL: 'http://canary-ticket.example:9/canary-ticket-key-of-the-service',
    EDGE_URL: 'https://canary-edge.example/farms/clover',
    BACKUP_S3_URL: 'https://canary-s3.example/bucket/farm',
    PUBLIC_URL: 'https://canary-page.example',
    SIGN_IN_OIDC_ISSUER: 'https://canary-issuer.example',
    SIGN_IN_OIDC_CLIENT_ID: 'farmgate',
    ALLOWED_ORIGINS: 'https://canary-panel.example',
    WEBHOOK_PRIVATE_HOSTS: 'canary-ntfy.lan',
    MODS_DIR: folder,
    TRUST_PROXY: '1',
  })
  const farm = connect({ url, key: secrets.API_KEY })
  await eventually(async () => expect((await farm.players()).players).toHaveLength(1))
  const { key: named } = await farm.createKey({ name: 'canary key', scopes: ['read'] })
  const { secret = '' } = await farm.createWebhook({
    name: 'canary hook',
    url: webhook,
    events: ['player.joined'],
    format: 'standard',
  })
  const { steamInviteCode = '' } = await farm.status()
  const canaries = [...Object.values(secrets), ...addresses, ...others, named, secret, steamInviteCode]
  writeFileSync(
    gameLog,
    [...canaries, 'Robin Canary has joined', 'SMAPI has loaded 12 mods']
      .map((line) => `[game] ${line}\n`)
      .join(''),
  )
  // The address of the caller is in its row.
  await fetch(`${url}/announce`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${secrets.API_KEY}`,
      'content-type': 'application/json',
      'x-forwarded-for': '203.0.113.77',
    },
    body: JSON.stringify({ message: `Ask canary.person@mail.example at 2001:db8::77, key ${named}` }),
  })
  const bundle = async (query = '') => {
    const answer = await fetch(`${url}/support${query}`, {
      headers: { authorization: `Bearer ${secrets.API_KEY}` },
    })
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/zip'])
    return unpacked(Buffer.from(await answer.arrayBuffer()))
  }
  return { bundle, canaries: [...canaries, 'T0P-CANARY-PATH'], log }
}

test('no secret, key, token, address, webhook URL or e-mail is in the bundle, and names are tokens unless asked otherwise', async () => {
  const { bundle, canaries } = await canaryFarm()
  const [plain, withNames] = [await bundle(), await bundle('?names=true')]
  for (const files of [plain, withNames])
    for (const [name, text] of files)
      for (const canary of canaries)
        for (const form of [canary, encodeURIComponent(canary), JSON.stringify(canary).slice(1, -1)])
          expect([name, text.toLowerCase().includes(form.toLowerCase()) && canary]).toEqual([name, false])
  const lines = (files: ReadonlyMap<string, string>) => files.get('log-game.txt')?.split('\n') ?? []
  const [token] = /player-[0-9a-f]{8}/.exec(lines(plain).at(-2) ?? '') ?? []
  expect(lines(plain).slice(-2)).toEqual([`[game] ${token} has joined`, '[game] SMAPI has loaded 12 mods'])
  expect([...plain.values()].join()).not.toContain('Robin')
  expect(lines(withNames).at(-2)).toBe('[game] Robin Canary has joined')
})

test('the bundle has versions, configuration, findings, logs, metrics, actions and mods; its first file is README.txt, which names every file and says what is not inside', async () => {
  const { bundle, log } = await canaryFarm()
  const files = await bundle()
  const [first, ...names] = [...files.keys()]
  expect([first, names]).toEqual([
    'README.txt',
    [
      'versions.json',
      'configuration.json',
      'doctor.json',
      'log-farmgate.txt',
      'log-game.txt',
      'metrics.txt',
      'audit.json',
      'mods.json',
    ],
  ])
  const readme = files.get('README.txt') ?? ''
  for (const name of names) expect(readme).toContain(`\n${name}: `)
  expect(readme).toMatch(/^Not inside: keys, passwords, tokens/m)
  const json = (name: string) => JSON.parse(files.get(name) ?? '')
  expect(json('versions.json')).toMatchObject({ node: process.version, gameVersion: '1.6.15' })
  expect(json('configuration.json')).toMatchObject({
    API_KEY: 'set',
    GAME_API_URL: 'set',
    DISCORD_PUBLIC_KEY: 'not set',
    GAME_HOST: 'command',
    RATE_LIMIT_READS: 600,
  })
  expect(json('doctor.json')).toContainEqual({ found: 'game_runs', state: 'ok' })
  expect(json('doctor.json')).toContainEqual({ found: 'ticket_service_away', state: 'broken' })
  expect(files.get('log-farmgate.txt')).toContain(log[0]?.message)
  expect(files.get('metrics.txt')).toMatch(/^farmgate_http_requests_total\{/m)
  expect(json('audit.json')).toContainEqual({
    at: expect.any(String),
    action: 'createWebhook',
    origin: 'local',
    outcome: 'done',
    status: 201,
  })
})

test('what cannot be read is left out, and README.txt says why', async () => {
  const { url } = await openedFarm({ API_KEY: secrets.API_KEY })
  const answer = await fetch(`${url}/support`, { headers: { authorization: `Bearer ${secrets.API_KEY}` } })
  const files = await unpacked(Buffer.from(await answer.arrayBuffer()))
  expect([...files.keys()]).not.toContain('mods.json')
  expect(files.get('README.txt')).toMatch(/^mods\.json is left out: .*MODS_DIR/m)
  expect(files.get('README.txt')).toMatch(/^log-game\.txt is left out: .*GAME_HOST/m)
})

test('the bundle needs the scope admin', async () => {
  const { url } = await openedFarm({ API_KEY: secrets.API_KEY })
  const { key } = await connect({ url, key: secrets.API_KEY }).createKey({ name: 'bot', scopes: ['control'] })
  const answer = await fetch(`${url}/support`, { headers: { authorization: `Bearer ${key}` } })
  expect([answer.status, await answer.json()]).toMatchObject([
    403,
    { code: 'insufficient_scope', scope: 'admin' },
  ])
})
