/** Commands of README.md and docs/, run by a shell as printed. */
import { execFile, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { sessionStore } from '../../ticket/session/session-file.ts'
import { composeWith } from '../compose.ts'
import type { ServerUnderTest } from '../contract/server-under-test.ts'
import { sharedServer } from '../contract/shared-server.ts'
import { inherited } from '../inherited.ts'
import { programs } from '../programs.ts'
import { codeBlock } from '../project/code-blocks.ts'
import { nodeServer } from '../runtime/node/node-server.ts'
import { newFolder } from './farmgate.ts'

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url))

interface PageShell {
  readonly cwd: string
  readonly volumes: string
  dockerLog(): string
  /** Runs a block with replaced addresses and paths. */
  run(block: string, replaced?: Readonly<Record<string, string>>, input?: string): Promise<string>
}

/** A folder in which `farmgate`, `npx farmgate` and `docker` belong to this checkout. */
function pageShell({ url, key }: Pick<ServerUnderTest, 'url' | 'key'>): PageShell {
  const cwd = newFolder()
  const bin = join(newFolder(), 'bin')
  mkdirSync(bin)
  const volumes = newFolder()
  const log = join(volumes, '.docker.log')
  writeFileSync(log, '')
  const shim = (name: string, script: string) =>
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  shim('node', `exec '${process.execPath}' "$@"`)
  shim('farmgate', `exec node '${programs.commandLine}' "$@"`)
  shim('npx', 'shift\nexec farmgate "$@"')
  shim('docker', `exec node '${here('docker-stand-in.ts')}' "$@"`)
  for (const name of ['sudo', 'systemctl']) shim(name, `echo '${name}' "$@" >> '${log}'`)
  // Only root can give files to another user.
  if (process.getuid?.() !== 0) shim('chown', 'true')
  const env = {
    ...inherited,
    PATH: `${bin}:${inherited['PATH']}`,
    HOME: cwd,
    XDG_CONFIG_HOME: join(cwd, '.config'),
    API_KEY: key,
    API_PORT: new URL(url).port,
    DOCKER_LOG: log,
    VOLUMES: volumes,
  }
  return {
    cwd,
    volumes,
    dockerLog: () => readFileSync(log, 'utf8'),
    async run(block, replaced = {}, input = '') {
      const all = { 'http://localhost:8080': url, 'https://farm.example': url, ...replaced }
      const script = Object.entries(all).reduce(
        (text, [written, ours]) => text.replaceAll(written, ours),
        block,
      )
      const running = promisify(execFile)('bash', ['--norc', '-eu', '-o', 'pipefail', '-c', script], {
        cwd,
        env,
      })
      // A block that reads no input might have ended already.
      running.child.stdin?.on('error', () => undefined).end(input)
      return (await running).stdout
    },
  }
}
const root = fileURLToPath(new URL('../..', import.meta.url))
const server = sharedServer(() => {
  const settingsFile = join(temporary(), 'server-settings.json')
  writeFileSync(settingsFile, '{"server":{"maxPlayers":4}}')
  return nodeServer({ settingsFile })
})

function temporary(): string {
  const { stdout } = spawnSync('mktemp', ['-d'], { encoding: 'utf8' })
  return stdout.trim()
}

/** The save of the farm of these tests. */
const junimo = 'Junimo_123456789'

const place = () => pageShell(server())

/** The lines of a block that are commands of one kind. */
const linesWith = (block: string, words: string) =>
  block
    .split('\n')
    .filter((line) => line.includes(words))
    .join('\n')

test('the requests of docs/api.md and docs/keys-and-records.md are answered as printed', async () => {
  const { run } = place()
  const withoutAnswer = (block: string) => block.replace(/\n\{.*$/s, '')
  const players = codeBlock('docs/api.md', 'curl -H')
  expect(await run(withoutAnswer(players))).toMatch(/^\{"players":\[.*\],"version":\d+\}$/)
  const change = codeBlock('docs/api.md', 'curl -X PATCH')
  expect(await run(withoutAnswer(change))).toContain('"message":"Changed server.maxPlayers"')
  expect(await run(codeBlock('docs/keys-and-records.md', 'curl -H'))).toMatch(/^\{"sessions":\[/)
})

test('the commands of docs/cli.md find the farm by profile and by variables', async () => {
  const { cwd, run } = place()
  writeFileSync(join(cwd, 'key'), server().key)
  await run(codeBlock('docs/cli.md', 'npx farmgate login'), {}, server().key)
  expect(await run(linesWith(codeBlock('docs/cli.md', 'npm run -s farmgate'), 'npx'))).toMatch(/^State +/m)
  const byVariables = codeBlock('docs/cli.md', 'FARMGATE_URL=')
  expect(await run(byVariables, { '/run/secrets/api_key': join(cwd, 'key') })).toMatch(/^\{"players":/)
})

test('the restart and the schedules of docs/dashboard.md are made as printed', async () => {
  const { run } = place()
  const { players } = JSON.parse(await run('npx farmgate players --json'))
  for (const { idText } of players) await server().farm.leave(BigInt(idText))
  const [restart = ''] = codeBlock('docs/dashboard.md', 'npx farmgate restart').split('\n')
  expect(await run(restart)).toMatch(/ succeeded\n/)
  const schedules = codeBlock('docs/dashboard.md', 'npx farmgate schedules add')
  expect(await run(schedules)).toMatch(/^(\S+ \d{4}-\S+Z\s+){3}$/)
  const listed = await run('npx farmgate schedules')
  for (const name of ['Nightly restart', 'Backups', 'Friday']) expect(listed).toContain(`\n${name} `)
})

test('the commands of docs/friends.md that run in the container of the control API find its farm', async () => {
  const { cwd, run } = place()
  cpSync(join(root, 'deploy/stack/farmgate'), join(cwd, 'farmgate'))
  server().saved.save({ farmName: 'Junimo' })
  const lines = (beginning: string) =>
    linesWith(codeBlock('docs/friends.md', `docker compose exec api farmgate ${beginning}`), 'exec api')
  const [status = '', invite = ''] = codeBlock('docs/friends.md', './farmgate status').split('\n')
  expect(await run(status)).toMatch(/^State +(ready|paused)$/m)
  expect(await run(invite)).toMatch(/^S\S+\nFor players on GOG only: G/)
  expect(await run(lines('settings'))).toContain('server.maxPlayers: takes effect')
  await run('./farmgate backup')
  expect(await run(lines('backups  '))).toMatch(/yes/)
})

test('the steps of docs/backups.md make a backup, open it, and restore it by hand', async () => {
  const { cwd, volumes, run, dockerLog } = place()
  const [make = '', list = '', ...rest] = codeBlock('docs/backups.md', 'farmgate backups make').split('\n')
  server().saved.save({ farmName: 'Junimo', date: { season: 'fall', day: 9, year: 2 } })
  const id = /\S+\d{8}T\d+Z/.exec(await run(make))?.[0] ?? 'none'
  expect(await run(list)).toContain(id)
  await run(rest.join('\n'), { '<id>': id })
  const saves = join(volumes, 'farmgate_saves/Saves')
  mkdirSync(join(saves, junimo), { recursive: true })
  writeFileSync(join(saves, junimo, junimo), 'broken')
  expect(existsSync(join(cwd, 'test.zip'))).toBe(true)
  await run(codeBlock('docs/backups.md', 'docker compose stop game'), { Clover_123456789: junimo })
  expect(readdirSync(saves).sort()).toEqual([`.${junimo}.before`, junimo])
  expect(readFileSync(join(saves, junimo, 'SaveGameInfo'), 'utf8')).toMatch(/<\/Farmer>\s*$/)
  expect(dockerLog()).toBe('compose stop game\ncompose start game\n')
})

test('the command of docs/friends.md imports a player’s save into the volume of the game', async () => {
  const { cwd, volumes, run } = place()
  server().saved.save({ farmName: 'Junimo' })
  await run(
    'npx farmgate backups make\nfarmgate backups download "$(farmgate backups --json | grep -o "Junimo-[^\\"]*Z" | head -1)" --to farm.zip',
  )
  const saves = join(volumes, 'farmgate_saves/Saves')
  mkdirSync(saves, { recursive: true })
  const printed = await run(codeBlock('docs/friends.md', 'docker run --rm --user root'), {
    [`"$PWD/farm.zip`]: `"${cwd}/farm.zip`,
  })
  expect(printed).toContain(`saves import ${junimo} --reload`)
  expect(readdirSync(saves)).toEqual([junimo])
})

test('a farm moves from the volumes of JunimoServer to farmgate and back without a new sign-in', async () => {
  const { volumes, run, dockerLog } = place()
  // As the existing sidecar makes it: as root, readable by everyone.
  const session = join(volumes, 'server_steam-session')
  mkdirSync(join(session, 'cloverfarm'), { recursive: true })
  const token = [
    'eyJhbGciOiJFZERTQSJ9',
    Buffer.from('{"exp":4102444800}').toString('base64url'),
    'c2ln',
  ].join('.')
  const stored = { username: 'cloverfarm', refreshToken: token }
  const theirs = join(session, 'cloverfarm', 'session.json')
  writeFileSync(theirs, JSON.stringify(stored), { mode: 0o644 })
  mkdirSync(join(volumes, 'server_saves/Saves/Clover_123456789'), { recursive: true })

  const env = Object.fromEntries(
    codeBlock('docs/friends.md', 'SAVES_VOLUME=')
      .split('\n')
      .map((line) => line.split('=')),
  )
  const needed = { API_KEY: 'k'.repeat(40), GAME_API_KEY: 'g'.repeat(40), VNC_PASSWORD: 'v' }
  const { services, volumes: named } = composeWith({ ...needed, ...env })
  expect(named).toMatchObject({
    'platform-session': { name: 'server_steam-session' },
    'game-data': { name: 'server_game-data' },
    saves: { name: 'server_saves' },
  })
  expect(services.ticket.volumes).toContain('platform-session:/data/platform-session')
  expect(services.game.volumes).toContain('saves:/config/xdg/config/StardewValley')

  const store = sessionStore(session)
  expect(await store.load('cloverfarm')).toMatchObject({ session: stored })
  // The service has renewed the token.
  await store.save({ ...stored, refreshToken: `${token}new`, guardData: undefined })
  await run(codeBlock('docs/friends.md', 'docker compose down\ndocker run'))
  expect(readdirSync(session)).toEqual(['cloverfarm'])
  expect(JSON.parse(readFileSync(theirs, 'utf8'))).toEqual({ ...stored, refreshToken: `${token}new` })
  expect(dockerLog()).toBe('compose down\n')
})

test('a farm that began with farmgate is copied into the volumes of JunimoServer', async () => {
  const { volumes, run } = place()
  mkdirSync(join(volumes, 'farmgate_saves/Saves/Clover_1'), { recursive: true })
  writeFileSync(join(volumes, 'farmgate_saves/.hidden'), '')
  await run(codeBlock('docs/friends.md', 'docker run --rm -v farmgate_saves:/from'))
  expect(readdirSync(join(volumes, 'server_saves')).sort()).toEqual(['.hidden', 'Saves'])
})

test('the steps for systemd of docs/hosting.md create what the units read', async () => {
  const { cwd, run, dockerLog } = place()
  for (const folder of ['etc/systemd/system', 'etc/farmgate'])
    mkdirSync(join(cwd, folder), { recursive: true })
  await run(codeBlock('docs/hosting.md', 'cp deploy/systemd'), {
    '/etc/': `${cwd}/etc/`,
    'deploy/systemd/': `${root}deploy/systemd/`,
  })
  expect(readdirSync(join(cwd, 'etc/systemd/system')).sort()).toEqual([
    'farmgate-ticket@.service',
    'farmgate@.service',
  ])
  expect(statSync(join(cwd, 'etc/farmgate/clover')).mode & 0o777).toBe(0o700)
  expect(readFileSync(join(cwd, 'etc/farmgate/clover/api_key'), 'utf8')).toMatch(/^\S{44}\n$/)
  expect(readFileSync(join(cwd, 'etc/farmgate/clover.env'), 'utf8')).toMatch(/^API_PORT=8101$/m)
  const read = (setting: string) =>
    ['farmgate@.service', 'farmgate-ticket@.service'].flatMap((unit) =>
      [
        ...readFileSync(join(root, 'deploy/systemd', unit), 'utf8').matchAll(
          new RegExp(`^${setting}(?:=|=\\w+:)(/etc/\\S+)$`, 'gm'),
        ),
      ].map(([, path = '']) => path.replace('%i', 'clover')),
    )
  const files = [...read('EnvironmentFile'), ...read('LoadCredential')]
  expect(files).toHaveLength(5)
  for (const file of files) expect([file, existsSync(join(cwd, file))]).toEqual([file, true])
  expect(dockerLog()).toBe('systemctl daemon-reload\n')
})

test('the commands of docs/configuration.md put secrets into files', async () => {
  const { cwd, run } = place()
  await run(codeBlock('docs/configuration.md', 'mkdir -p secrets'))
  expect(statSync(join(cwd, 'secrets/api/api_key')).mode & 0o077).toBe(0)
  expect(readFileSync(join(cwd, 'secrets/api/api_key'), 'utf8')).toMatch(/^\S{44}\n$/)
})
