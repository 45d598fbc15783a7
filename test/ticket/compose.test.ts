import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { commands } from '../../ticket/command-list.ts'
import { compose, composeWith, readText } from '../compose.ts'
import { newFolder } from '../new-folder.ts'

const root = new URL('../../', import.meta.url)
const { game, ticket, prepare, api, https } = compose.services
/** Names of volumes, without folders of the machine. */
const mounts = (volumes: readonly string[]) =>
  volumes.filter((volume) => /^[a-z]/.test(volume)).map((volume) => volume.split(':', 1).join())

test('compose.yaml has game server, ticket service, control API and their proxies together', () => {
  const names = ['api', 'docker-proxy', 'game', 'https', 'prepare', 'ticket']
  expect(Object.keys(compose.services).sort()).toEqual(names)
})

test('Compose pulls the published images of this release, and builds them where there is nothing to pull', () => {
  const images = ({ services }: typeof compose) => [services.api.image, services.ticket.image]
  const published = (tag: string) =>
    ['farmgate', 'farmgate-ticket'].map((name) => `ghcr.io/farmgate/${name}:${tag}`)
  expect(images(composeWith({}))).toEqual(published(packageJson.version))
  expect(images(composeWith({ FARMGATE_VERSION: '0.4.1' }))).toEqual(published('0.4.1'))
  // Without `pull_policy` Compose pulls what is missing, and builds what it cannot pull.
  expect(readText('compose.yaml')).not.toContain('pull_policy')
  expect(ticket.build).toEqual({ context: '.', dockerfile: 'ticket/Dockerfile' })
  expect(api.build).toBe('.')
})

test('compose.yaml stands alone: it mounts nothing of a checkout, only volumes, the socket and folders that it makes', () => {
  const folders = Object.values(composeWith({}).services)
    .flatMap(({ volumes }) => volumes.map((one) => one.split(':', 1).join()))
    .filter((from) => /^[./]/.test(from))
  expect([...new Set(folders)].sort()).toEqual([
    './backups',
    './diagnostics',
    './mods',
    './secrets/api',
    './secrets/ticket',
    './settings',
    '/var/run/docker.sock',
  ])
  expect(readText('compose.yaml')).not.toMatch(/env_file|extends|include:|^configs:|^secrets:/m)
})

test('the game gets PLATFORM_AUTH_URL and STEAM_AUTH_URL, the control API PLATFORM_AUTH_URL', () => {
  for (const address of [
    game.environment.PLATFORM_AUTH_URL,
    game.environment.STEAM_AUTH_URL,
    api.environment.PLATFORM_AUTH_URL,
  ]) {
    expect(address).toMatch(/^http:\/\/ticket:3001\//)
  }
})

test('the control API does not get TICKET_KEY: it reads only the health, which is public', () => {
  expect(JSON.stringify(game.environment)).toContain('TICKET_KEY')
  expect(JSON.stringify(api.environment)).not.toContain('TICKET_KEY')
})

describe('the start of the game', () => {
  const [program = '', flags = '', script = ''] = game.entrypoint ?? []

  /** Runs it with the keys of a folder. @returns the environment of the image's own start, or the error */
  async function started(keys: string, env: Readonly<Record<string, string>>) {
    const own = composeWith(env).services.game.environment
    const lines = script
      .replaceAll('$$', '$')
      .replaceAll('/etc/farmgate', keys)
      .replace('exec /init', 'exec env -0')
    const options = { env: { PATH: process.env.PATH, ...own } }
    const { stdout } = await promisify(execFile)(program, [flags, lines], options)
    return Object.fromEntries(stdout.split('\0').map((line) => line.split(/=(.*)/s)))
  }
  function keys(): string {
    const folder = newFolder()
    writeFileSync(join(folder, 'game_api_key'), 'made-for-the-game')
    writeFileSync(join(folder, 'ticket_key'), 'made-for-tickets')
    return folder
  }

  test('takes the keys of the first start for those that .env does not have, and a random password for its screen', async () => {
    const [one, two] = await Promise.all([started(keys(), {}), started(keys(), {})])
    expect(one).toMatchObject({
      API_KEY: 'made-for-the-game',
      STEAM_AUTH_URL: 'http://ticket:3001/made-for-tickets',
      PLATFORM_AUTH_URL: 'http://ticket:3001/made-for-tickets',
    })
    expect(one['VNC_PASSWORD']).toMatch(/^[\w+/]{8}$/)
    expect(one['VNC_PASSWORD']).not.toBe(two['VNC_PASSWORD'])
  })

  test('takes those of .env first', async () => {
    const env = { GAME_API_KEY: 'mine', TICKET_KEY: 'mine-for-tickets', VNC_PASSWORD: 'screen' }
    expect(await started(keys(), env)).toMatchObject({
      API_KEY: 'mine',
      STEAM_AUTH_URL: 'http://ticket:3001/mine-for-tickets',
      PLATFORM_AUTH_URL: 'http://ticket:3001/mine-for-tickets',
      VNC_PASSWORD: 'screen',
    })
    expect(await started('/none', env)).toMatchObject({ API_KEY: 'mine' })
  })

  test.each(['game_api_key', 'ticket_key'])('ends without %s, so that no game is open', async (missing) => {
    const folder = keys()
    rmSync(join(folder, missing))
    await expect(started(folder, {})).rejects.toMatchObject({
      code: 78,
      stdout: '',
      stderr: expect.stringContaining('There is no key. See: docker compose logs prepare'),
    })
  })
})

test('the game waits for a healthy ticket service, and the health check needs only the image', () => {
  expect(game.depends_on).toEqual({ ticket: { condition: 'service_healthy' } })
  expect(readText('ticket/Dockerfile')).toMatch(/^HEALTHCHECK .*"healthcheck"\]$/m)
})

test('the session volume is private to the ticket service and to `prepare`, which has no network; the game-data volume is shared', () => {
  const users = (volume: string) =>
    Object.entries(compose.services).flatMap(([name, { volumes }]) =>
      mounts(volumes).includes(volume) ? [name] : [],
    )
  expect(users('platform-session').sort()).toEqual(['prepare', 'ticket'])
  expect(prepare.network_mode).toBe('none')
  expect(users('game-data').sort()).toEqual(['game', 'prepare', 'ticket'])
  expect(ticket.volumes).toContain('platform-session:/data/platform-session')
  expect(ticket.volumes).toContainEqual(expect.stringMatching(/^game-data:\/data\/game:/))
  for (const { volumes } of Object.values(compose.services))
    for (const volume of mounts(volumes)) expect(compose.volumes).toHaveProperty(volume)
})

test('the ticket service has its own network with the game and the control API', () => {
  const onNetwork = (network: string) =>
    Object.entries(compose.services).flatMap(([name, { networks }]) =>
      networks.includes(network) ? [name] : [],
    )
  expect(ticket.networks).toEqual(['farm'])
  expect(onNetwork('farm').sort()).toEqual(['api', 'game', 'ticket'])
})

test('the HTTPS proxy reaches the control API, and neither the ticket service nor the game', () => {
  expect(https.networks).toEqual(['front'])
  expect(api.networks).toEqual(['farm', 'front', 'docker'])
  expect(Object.keys(compose.networks).sort()).toEqual(['docker', 'farm', 'front'])
})

test('the HTTPS proxy has no capability except the one for ports below 1024, and cannot gain privileges', () => {
  expect(https).toMatchObject({
    cap_drop: ['ALL'],
    cap_add: ['NET_BIND_SERVICE'],
    security_opt: ['no-new-privileges:true'],
  })
})

test('the game server can set the clock of the machine, as in its own compose file', () => {
  expect(game.cap_add).toEqual(['SYS_TIME'])
})

test('the log of each service has at most 30 MB', () => {
  for (const { logging } of Object.values(compose.services))
    expect(logging).toEqual({ driver: 'json-file', options: { 'max-size': '10m', 'max-file': '3' } })
})

test('a stop waits for a night that is being saved, and for a renewal of the Steam token', () => {
  expect(game.stop_grace_period).toBe('60s')
  expect(ticket.stop_grace_period).toBe('40s')
  expect(readText('deploy/systemd/farmgate-ticket@.service')).toContain('\nTimeoutStopSec=40\n')
})

test('`docker compose down -v` keeps the backups: they are in a folder of the machine and in no volume', () => {
  const { services, volumes } = composeWith({})
  expect(services.api.volumes).toContain('./backups:/data/backups')
  expect(services.api.environment.BACKUP_DIR).toBe('/data/backups')
  expect(volumes).not.toHaveProperty('backups')
})

test('every page that names `docker compose down` says what `-v` would remove', () => {
  const naming = readdirSync(new URL('docs', root))
    .filter((name) => name.endsWith('.md'))
    .filter((name) => readText(`docs/${name}`).includes('docker compose down'))
  expect(naming).toContain('friends.md')
  for (const name of naming)
    expect([name, readText(`docs/${name}`).replaceAll(/\s+/g, ' ')]).toEqual([
      name,
      expect.stringMatching(/`docker compose down -v` removes the saves, the Steam session/),
    ])
})

test('an older Compose fails with an error that names the required version', () => {
  // Compose 1 knows no `:+`, and quotes the text around it. It reads the options of the first service in order.
  const [[name, first] = []] = Object.entries(compose.services)
  expect(name).toBe('game')
  expect(first?.labels).toEqual({
    'farmgate.needs': expect.stringMatching(/^\$\{COMPOSE_PROJECT_NAME:\+Docker Compose 2\.24 or newer/),
  })
  expect(readText('compose.yaml').split('\n  game:\n')[1]).toMatch(/^( +#.*\n)* {4}labels:\n/)
})

test('our own services and the HTTPS proxy have limits of memory and processes, and write no core file', () => {
  for (const own of [ticket, api])
    expect(own).toMatchObject({ mem_limit: '1g', pids_limit: 256, ulimits: { core: 0 } })
  expect(https).toMatchObject({ mem_limit: '512m', pids_limit: 256, ulimits: { core: 0 } })
})

test('without a profile neither the HTTPS proxy nor the proxy of the Docker socket is started', () => {
  expect(https.profiles).toEqual(['https'])
  expect(https.image).toContain('caddy')
  for (const [name, { profiles }] of Object.entries(compose.services))
    expect([name, profiles]).toEqual([name, { https: ['https'], 'docker-proxy': ['host'] }[name] ?? []])
})

test('no secret is in compose.yaml: each comes from .env, which .env.example explains', () => {
  const example = readText('.env.example')
  for (const { environment } of Object.values(compose.services)) {
    for (const [name, value] of Object.entries(environment)) {
      if (!/KEY(?!S_DIR)|PASSWORD|PASSPHRASE|TOKEN/.test(name)) continue
      const [, variable] = /^\$\{([A-Z0-9_]+)(?::[-?][^}]*)?\}$/.exec(value) ?? []
      if (variable === undefined) expect([name, value]).toEqual([name, ''])
      else expect(example).toContain(`\n${variable}=\n`)
    }
  }
  expect(readText('.gitignore')).toContain('\n.env\n')
})

test('the image is slim, runs without root and with an init, serves by default and takes commands as arguments', () => {
  const lines = readText('ticket/Dockerfile').split('\n')
  expect(
    lines.filter((line) => line.startsWith('FROM')).every((line) => line.startsWith('FROM node:24-slim')),
  ).toBe(true)
  expect(lines).toContain('USER node')
  // Compiled code is kept per user: root's would be useless.
  expect(lines.findIndex((line) => line.startsWith('RUN node -e'))).toBeGreaterThan(
    lines.indexOf('USER node'),
  )
  expect(lines).toContain('ENTRYPOINT ["dumb-init", "--", "node", "built/ticket/main.js"]')
  expect(lines).toContain('CMD ["serve"]')
  for (const line of lines.filter((text) => text.startsWith('COPY') && !text.includes('--from'))) {
    for (const path of line.split(' ').slice(1, -1)) expect(existsSync(new URL(path, root)), path).toBe(true)
  }
})

describe('the service that prepares folders', () => {
  const [, , script = ''] = Array.isArray(prepare.command) ? prepare.command : []

  const keyFiles = [
    'farmgate/api_key',
    'farmgate/game_api_key',
    'platform-session/ticket_key',
    'game-keys/game_api_key',
    'game-keys/ticket_key',
  ]

  /** The owner of the folders below, so that they need no change. */
  const user = { USER_ID: String(process.getuid?.()), GROUP_ID: String(process.getgid?.()) }
  /** Runs the script with the folders of a machine instead of the mounts. `chown` only prints its arguments. */
  async function preparing(folder: string, backupDir = '/data/backups'): Promise<string> {
    const path = join(folder, 'programs')
    mkdirSync(path, { recursive: true })
    writeFileSync(join(path, 'chown'), '#!/bin/sh\necho "chown $*"\n', { mode: 0o755 })
    const own = script.replaceAll('$$', '$').replaceAll('/data/', `${folder}/`)
    const { stdout } = await promisify(execFile)('sh', ['-c', own], {
      env: {
        ...user,
        PATH: `${path}:${process.env.PATH}`,
        BACKUP_DIR: backupDir.replace('/data/', `${folder}/`),
      },
    })
    return stdout.replaceAll(folder, '')
  }

  const mounts = ['farmgate/backups', 'backups', 'settings', 'platform-session', 'game', 'game-keys', 'saves']
  function machine(): string {
    const folder = newFolder()
    for (const mount of mounts) mkdirSync(join(folder, mount), { recursive: true })
    return folder
  }

  test('makes three keys once, private to their owner, and gives the game the two that it needs', async () => {
    const folder = machine()
    const keys = () => keyFiles.map((name) => readFileSync(join(folder, name), 'utf8'))
    await preparing(folder)
    const made = keys()
    for (const key of made) expect(key).toMatch(/^[0-9a-f]{48}$/)
    for (const name of keyFiles)
      expect([name, statSync(join(folder, name)).mode & 0o777]).toEqual([name, 0o600])
    expect(new Set(made.slice(0, 3)).size).toBe(3)
    expect(made.slice(3)).toEqual(made.slice(1, 3))
    expect(await preparing(folder)).not.toContain('could not be made')
    expect(keys()).toEqual(made)
    // The volume of the game was removed.
    rmSync(join(folder, 'game-keys/ticket_key'))
    await preparing(folder)
    expect(keys()).toEqual(made)
    for (const name of ['farmgate', 'platform-session', 'game-keys'])
      expect(readdirSync(join(folder, name)).filter((one) => one.includes('.'))).toEqual([])
  })

  test('two that start at once, and one that was killed while it wrote a key, make one key', async () => {
    const folder = machine()
    const sync = join(folder, 'programs/sync')
    mkdirSync(join(folder, 'programs'))
    writeFileSync(sync, '#!/bin/sh\nkill -9 $PPID\n', { mode: 0o755 })
    await expect(preparing(folder)).rejects.toMatchObject({ signal: 'SIGKILL' })
    expect(readdirSync(join(folder, 'farmgate'))).toEqual([
      expect.stringMatching(/^api_key\.\w{6}$/),
      'backups',
    ])
    rmSync(sync)
    const read = () => keyFiles.map((name) => readFileSync(join(folder, name), 'utf8'))
    const seen = await Promise.all(
      Array.from({ length: 4 }, async () => {
        await preparing(folder)
        return read().slice(0, 3)
      }),
    )
    for (const keys of seen) expect(keys).toEqual(read().slice(0, 3))
    for (const key of read()) expect(key).toMatch(/^[0-9a-f]{48}$/)
    await preparing(folder)
    expect(read().slice(3)).toEqual(read().slice(1, 3))
  })

  test('names a key that it cannot make, such as on a read-only volume, and says what to do', async () => {
    const folder = machine()
    rmSync(join(folder, 'platform-session'), { recursive: true })
    expect(await preparing(folder)).toContain(
      'This key could not be made: /platform-session/ticket_key. Make its volume writable, or set it in .env.',
    )
  })

  test('moves backups of an older version from the volume to the folder, and never over an existing one', async () => {
    const folder = machine()
    const at = (path: string) => join(folder, path)
    writeFileSync(at('farmgate/backups/day 1.zip'), 'one')
    writeFileSync(at('farmgate/backups/index.json'), 'old')
    writeFileSync(at('backups/index.json'), 'new')
    await preparing(folder)
    expect(readdirSync(at('backups')).sort()).toEqual(['day 1.zip', 'index.json'])
    expect(readFileSync(at('backups/day 1.zip'), 'utf8')).toBe('one')
    expect(readFileSync(at('backups/index.json'), 'utf8')).toBe('new')
    expect(readdirSync(at('farmgate/backups'))).toEqual(['index.json'])
    expect(await preparing(folder)).not.toContain('stays')
  })

  test('leaves the backups in BACKUP_DIR', async () => {
    const folder = machine()
    writeFileSync(join(folder, 'farmgate/backups/day 1.zip'), 'one')
    await preparing(folder, '/data/farmgate/backups')
    expect(readdirSync(join(folder, 'farmgate/backups'))).toEqual(['day 1.zip'])
    expect(readdirSync(join(folder, 'backups'))).toEqual([])
  })

  test('names a backup that it cannot copy, leaves it, and succeeds, so that the control API starts', async () => {
    const folder = machine()
    writeFileSync(join(folder, 'farmgate/backups/day 1.zip'), 'one')
    const bin = join(folder, 'programs')
    mkdirSync(bin)
    writeFileSync(join(bin, 'cp'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
    expect(await preparing(folder)).toContain('This backup stays in the volume: /farmgate/backups/day 1.zip')
    expect(readdirSync(join(folder, 'farmgate/backups'))).toEqual(['day 1.zip'])
  })

  test('gives the backups to the user of our services, and of all other files only those of root', async () => {
    const owner = `${user.USER_ID}:${user.GROUP_ID}`
    // The records come last: their owner says whose the others were.
    const fromRoot = ['settings', 'platform-session', 'game', 'saves', 'backups', 'farmgate'].map(
      (name) => `chown -R --from=root ${owner} /${name}\n`,
    )
    expect(await preparing(machine())).toBe([`chown -R ${owner} /backups\n`, ...fromRoot].join(''))
  })

  test('ends before our services start', () => {
    const condition = { prepare: { condition: 'service_completed_successfully' } }
    expect(api.depends_on).toMatchObject(condition)
    expect(ticket.depends_on).toEqual(condition)
  })
})

test('docs/ticket-service.md names every command', () => {
  const page = readText('docs/ticket-service.md')
  for (const name of Object.keys(commands)) expect(page, name).toContain(`\`${name}\``)
})
