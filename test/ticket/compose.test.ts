import { existsSync, readFileSync } from 'node:fs'
import * as v from 'valibot'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { commands } from '../../ticket/command-list.ts'
import { readConfig } from '../../ticket/config.ts'
import { variables } from '../../ticket/config-variables.ts'

const root = new URL('../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')

const service = v.object({
  image: v.optional(v.string()),
  build: v.optional(v.union([v.string(), v.object({ context: v.string(), dockerfile: v.string() })])),
  environment: v.optional(v.record(v.string(), v.string()), {}),
  volumes: v.optional(v.array(v.string()), []),
  ports: v.optional(v.array(v.string()), []),
  profiles: v.optional(v.array(v.string()), []),
  depends_on: v.optional(
    v.union([v.array(v.string()), v.record(v.string(), v.object({ condition: v.string() }))]),
  ),
  read_only: v.optional(v.boolean()),
  cap_drop: v.optional(v.array(v.string())),
})
const compose = v.parse(
  v.object({ services: v.record(v.string(), service), volumes: v.record(v.string(), v.unknown()) }),
  parse(read('compose.yaml')),
)
const { game, ticket, api, https } = compose.services
const mounts = (volumes: readonly string[] = []) => volumes.map((volume) => volume.split(':')[0])

test('compose.yaml has game server, ticket service and control API together', () => {
  expect(Object.keys(compose.services).sort()).toEqual(['api', 'game', 'https', 'ticket'])
  expect(ticket?.build).toEqual({ context: '.', dockerfile: 'ticket/Dockerfile' })
  expect(api?.build).toBe('.')
})

test('the game gets PLATFORM_AUTH_URL and STEAM_AUTH_URL, the control API PLATFORM_AUTH_URL', () => {
  for (const address of [
    game?.environment.PLATFORM_AUTH_URL,
    game?.environment.STEAM_AUTH_URL,
    api?.environment.PLATFORM_AUTH_URL,
  ]) {
    expect(address).toMatch(/^http:\/\/ticket:3001\//)
  }
})

test('the game waits for a healthy ticket service, which the image itself can tell', () => {
  expect(game?.depends_on).toEqual({ ticket: { condition: 'service_healthy' } })
  expect(read('ticket/Dockerfile')).toMatch(/^HEALTHCHECK .*"healthcheck"\]$/m)
})

test('the session volume is private to the ticket service, the game-data volume is shared', () => {
  const users = (volume: string) =>
    Object.entries(compose.services).flatMap(([name, { volumes }]) =>
      mounts(volumes).includes(volume) ? [name] : [],
    )
  expect(users('platform-session')).toEqual(['ticket'])
  expect(users('game-data').sort()).toEqual(['game', 'ticket'])
  expect(ticket?.volumes).toContain('platform-session:/data/platform-session')
  expect(ticket?.volumes).toContain('game-data:/data/game')
  for (const { volumes } of Object.values(compose.services))
    for (const volume of mounts(volumes)) expect(compose.volumes).toHaveProperty(volume ?? '')
})

test('the ticket service publishes no port, has a read-only root and no capabilities', () => {
  expect(ticket).toMatchObject({ ports: [], read_only: true, cap_drop: ['ALL'] })
})

test('an HTTPS proxy in front of the control API comes with a profile', () => {
  expect(https?.profiles).toEqual(['https'])
  expect(https?.image).toContain('caddy')
  for (const [name, { profiles }] of Object.entries(compose.services))
    if (name !== 'https') expect(profiles).toEqual([])
})

test('no secret is in compose.yaml: each comes from .env, which .env.example explains', () => {
  const example = read('.env.example')
  for (const { environment } of Object.values(compose.services)) {
    for (const [name, value] of Object.entries(environment)) {
      if (!/KEY|PASSWORD|TOKEN/.test(name)) continue
      const variable = /^\$\{([A-Z_]+)(?::[-?][^}]*)?\}$/.exec(value)?.[1]
      expect(variable, name).toBeDefined()
      if (name !== 'VNC_PASSWORD') expect(example).toContain(`\n${variable}=\n`)
    }
  }
  expect(read('.gitignore')).toContain('.env\n')
})

test('every variable that compose hands the ticket service is one that it reads', () => {
  for (const name of Object.keys(ticket?.environment ?? {}))
    expect(variables.schema.entries).toHaveProperty(name)
})

test('every variable that an operator may set reaches the service from .env, and counts as unset when empty', () => {
  const fixed = ['PLATFORM_APP_ID', 'PORT', 'HOST', 'SESSION_DIR', 'GAME_DIR', 'LOG_FORMAT']
  for (const name of Object.keys(variables.schema.entries))
    if (!fixed.includes(name)) expect(ticket?.environment[name], name).toBe(`\${${name}:-}`)
  const empty = Object.fromEntries(Object.keys(ticket?.environment ?? {}).map((name) => [name, '']))
  const unmounted = () => false
  expect(readConfig(empty, unmounted)).toEqual(readConfig({}, unmounted))
})

test('the image: slim, no root, an init, serve by default, commands as arguments', () => {
  const lines = read('ticket/Dockerfile').split('\n')
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

test("the operator's page names every variable and every command", () => {
  const page = read('docs/ticket-service.md')
  for (const name of Object.keys(variables.schema.entries)) expect(page, name).toContain(`\`${name}\``)
  for (const name of Object.keys(commands)) expect(page, name).toContain(`\`${name}\``)
})
