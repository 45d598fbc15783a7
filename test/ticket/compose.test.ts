import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { commands } from '../../ticket/command-list.ts'
import { compose, readText } from '../compose.ts'

const root = new URL('../../', import.meta.url)
const { game, ticket, api, https } = compose.services
/** Names of volumes, without folders of the machine. */
const mounts = (volumes: readonly string[]) =>
  volumes.filter((volume) => /^[a-z]/.test(volume)).map((volume) => volume.split(':', 1).join())

test('compose.yaml has game server, ticket service and control API together', () => {
  expect(Object.keys(compose.services).sort()).toEqual(['api', 'game', 'https', 'ticket'])
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

test('the game waits for a healthy ticket service, and the health check needs only the image', () => {
  expect(game.depends_on).toEqual({ ticket: { condition: 'service_healthy' } })
  expect(readText('ticket/Dockerfile')).toMatch(/^HEALTHCHECK .*"healthcheck"\]$/m)
})

test('the session volume is private to the ticket service, the game-data volume is shared', () => {
  const users = (volume: string) =>
    Object.entries(compose.services).flatMap(([name, { volumes }]) =>
      mounts(volumes).includes(volume) ? [name] : [],
    )
  expect(users('platform-session')).toEqual(['ticket'])
  expect(users('game-data').sort()).toEqual(['game', 'ticket'])
  expect(ticket.volumes).toContain('platform-session:/data/platform-session')
  expect(ticket.volumes).toContain('game-data:/data/game')
  for (const { volumes } of Object.values(compose.services))
    for (const volume of mounts(volumes)) expect(compose.volumes).toHaveProperty(volume)
})

test('the ticket service publishes no port', () => {
  expect(ticket.ports).toEqual([])
})

test('the ticket service has a network of its own with the game and the control API', () => {
  const onNetwork = (network: string) =>
    Object.entries(compose.services).flatMap(([name, { networks }]) =>
      networks.includes(network) ? [name] : [],
    )
  expect(ticket.networks).toEqual(['farm'])
  expect(onNetwork('farm').sort()).toEqual(['api', 'game', 'ticket'])
})

test('the HTTPS proxy reaches the control API, and neither the ticket service nor the game', () => {
  expect(https.networks).toEqual(['front'])
  expect(api.networks).toEqual(['farm', 'front'])
  expect(Object.keys(compose.networks).sort()).toEqual(['farm', 'front'])
})

test('our own services have a read-only root, no capabilities and no way to new privileges', () => {
  for (const own of [ticket, api])
    expect(own).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    })
})

test('our own services and the HTTPS proxy have limits of memory and processes', () => {
  for (const own of [ticket, api])
    expect(own).toMatchObject({ mem_limit: '1g', pids_limit: 256, ulimits: { core: 0 } })
  expect(https).toMatchObject({ mem_limit: '512m', pids_limit: 256 })
})

test('an HTTPS proxy in front of the control API comes with a profile', () => {
  expect(https.profiles).toEqual(['https'])
  expect(https.image).toContain('caddy')
  for (const [name, { profiles }] of Object.entries(compose.services))
    if (name !== 'https') expect(profiles).toEqual([])
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
  // Compiled code is kept per user: what root had compiled would be of no use.
  expect(lines.findIndex((line) => line.startsWith('RUN node -e'))).toBeGreaterThan(
    lines.indexOf('USER node'),
  )
  expect(lines).toContain('ENTRYPOINT ["dumb-init", "--", "node", "ticket/main.ts"]')
  expect(lines).toContain('CMD ["serve"]')
  for (const line of lines.filter((text) => text.startsWith('COPY') && !text.includes('--from'))) {
    for (const path of line.split(' ').slice(1, -1)) expect(existsSync(new URL(path, root)), path).toBe(true)
  }
})

test('docs/ticket-service.md names every command', () => {
  const page = readText('docs/ticket-service.md')
  for (const name of Object.keys(commands)) expect(page, name).toContain(`\`${name}\``)
})
