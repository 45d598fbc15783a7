import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
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
  expect(ticket.build).toEqual({ context: '.', dockerfile: 'ticket/Dockerfile' })
  expect(api.build).toBe('.')
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
  expect(ticket.volumes).toContain('game-data:/data/game')
  for (const { volumes } of Object.values(compose.services))
    for (const volume of mounts(volumes)) expect(compose.volumes).toHaveProperty(volume)
})

test('the ticket service publishes no port', () => {
  expect(ticket.ports).toEqual([])
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
  const { services, volumes } = composeWith({ GAME_API_KEY: 'a key' })
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

test('our own services have a read-only root, no capabilities and cannot gain privileges', () => {
  for (const own of [ticket, api])
    expect(own).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    })
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
      if (!/KEY|PASSWORD|PASSPHRASE|TOKEN/.test(name)) continue
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

  /** Runs the script with the folders of a machine instead of the mounts. `chown` only prints its arguments. */
  function prepared(folder: string, backupDir = '/data/backups'): string {
    const path = join(folder, 'programs')
    mkdirSync(path, { recursive: true })
    writeFileSync(join(path, 'chown'), '#!/bin/sh\necho "chown $*"\n', { mode: 0o755 })
    return execFileSync('sh', ['-c', script.replaceAll('$$', '$').replaceAll('/data/', `${folder}/`)], {
      encoding: 'utf8',
      env: { PATH: `${path}:${process.env.PATH}`, BACKUP_DIR: backupDir.replace('/data/', `${folder}/`) },
    }).replaceAll(folder, '')
  }

  function machine(): string {
    const folder = newFolder()
    for (const mount of ['farmgate/backups', 'backups', 'settings', 'platform-session', 'game', 'saves'])
      mkdirSync(join(folder, mount), { recursive: true })
    return folder
  }

  test('moves backups of an older version from the volume to the folder, and never over an existing one', () => {
    const folder = machine()
    const at = (path: string) => join(folder, path)
    writeFileSync(at('farmgate/backups/day 1.zip'), 'one')
    writeFileSync(at('farmgate/backups/index.json'), 'old')
    writeFileSync(at('backups/index.json'), 'new')
    prepared(folder)
    expect(readdirSync(at('backups')).sort()).toEqual(['day 1.zip', 'index.json'])
    expect(readFileSync(at('backups/day 1.zip'), 'utf8')).toBe('one')
    expect(readFileSync(at('backups/index.json'), 'utf8')).toBe('new')
    expect(readdirSync(at('farmgate/backups'))).toEqual(['index.json'])
    expect(prepared(folder)).not.toContain('stays')
  })

  test('leaves the backups in BACKUP_DIR', () => {
    const folder = machine()
    writeFileSync(join(folder, 'farmgate/backups/day 1.zip'), 'one')
    prepared(folder, '/data/farmgate/backups')
    expect(readdirSync(join(folder, 'farmgate/backups'))).toEqual(['day 1.zip'])
    expect(readdirSync(join(folder, 'backups'))).toEqual([])
  })

  test('names a backup that it cannot copy, leaves it, and succeeds, so that the control API starts', () => {
    const folder = machine()
    writeFileSync(join(folder, 'farmgate/backups/day 1.zip'), 'one')
    const bin = join(folder, 'programs')
    mkdirSync(bin)
    writeFileSync(join(bin, 'cp'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
    expect(prepared(folder)).toContain('This backup stays in the volume: /farmgate/backups/day 1.zip')
    expect(readdirSync(join(folder, 'farmgate/backups'))).toEqual(['day 1.zip'])
  })

  test('gives the backups to the user of our services, and of all other files only those of root', () => {
    const fromRoot = ['farmgate', 'settings', 'platform-session', 'game', 'saves'].map(
      (name) => `chown -R --from=root node /${name}\n`,
    )
    expect(prepared(machine())).toBe(['chown -R node /backups\n', ...fromRoot].join(''))
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
