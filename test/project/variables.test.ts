/** The code, compose.yaml, .env.example and docs/configuration.md have the same variables. */
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { namesOf } from '../../lib/environment.ts'
import { variables as ownEdge } from '../../own-edge/variables.ts'
import { variables as worker } from '../../runtime/edge/variables.ts'
import { readConfig as readApi } from '../../runtime/node/config.ts'
import { variables as api } from '../../runtime/node/variables.ts'
import { readConfig as readTicket } from '../../ticket/config.ts'
import { variables as ticket } from '../../ticket/config-variables.ts'
import { compose, composeWith, interpolated, readText } from '../compose.ts'

const example = readText('.env.example')
/** The variables that an operator can set, with their values. */
const settable = new Map(
  [...example.matchAll(/^([A-Z][A-Z0-9_]*)=(.*)$/gm)].map(([, name = '', text = '']) => [name, text]),
)
/** The variables that .env.example marks as set by compose.yaml. */
const fixed = (service: string) =>
  new RegExp(`^#   ${service}: (.*)$`, 'm').exec(example)?.[1]?.split(' ').sort() ?? []

test('every line of .env.example is a comment, blank, or NAME=value, and no name comes twice', () => {
  const lines = example.split('\n')
  expect(lines.filter((line) => !/^(#.*|[A-Z][A-Z0-9_]*=\S*)?$/.test(line))).toEqual([])
  expect(lines.filter((line) => /^[A-Z]/.test(line))).toHaveLength(settable.size)
})

interface Row {
  readonly names: readonly string[]
  readonly isFixed: boolean
  readonly defaults: string
}
/** The list under a heading of the page: names, the default in brackets, and the meaning. */
const table = (heading: string): readonly Row[] => {
  const [, section = ''] = readText('docs/configuration.md').split(`\n## ${heading}\n`)
  const [own = ''] = section.split('\n## ')
  const line = /^- ((?:`[A-Z][A-Z0-9_]*`(?: ◆)?(?:, )?)+)(?: \((.*?)\))?(?::|$)/gm
  return [...own.matchAll(line)].map(([, first = '', defaults = '']) => ({
    names: [...first.matchAll(/`([A-Z][A-Z0-9_]*)`/g)].map(([, name = '']) => name),
    isFixed: first.includes('◆'),
    defaults,
  }))
}
const explained = (heading: string) => table(heading).flatMap(({ names }) => names)

/** The variables of one process: the variable and its `_FILE` form, without older names. */
const readBy = (variables: { schema: v.ObjectSchema<v.ObjectEntries, undefined>; traits: object }) =>
  Object.entries(namesOf(variables)).flatMap(([name, names]) =>
    names.filter((one) => one === name || one === `${name}_FILE`),
  )

const defaultsOf = ({ schema }: { schema: v.ObjectSchema<v.ObjectEntries, undefined> }) =>
  new Map(Object.entries(v.getDefaults(schema)))

const passes = ({ environment }: { readonly environment: Readonly<Record<string, string>> }) => ({
  all: Object.keys(environment).sort(),
  /** Not from the variable with the same name. */
  fixed: Object.keys(environment)
    .filter((name) => !environment[name]?.startsWith(`\${${name}:`))
    .sort(),
})

describe.each([
  ['The control API', 'control API', api, compose.services.api],
  ['The ticket service', 'ticket service', ticket, compose.services.ticket],
] as const)('%s', (heading, service, variables, described) => {
  const names = readBy(variables).sort()

  test('every variable that it reads is passed by compose.yaml, and no other', () => {
    expect(passes(described).all).toEqual(names)
  })

  test('every variable that it reads is explained by docs/configuration.md, and no other', () => {
    expect(explained(heading).sort()).toEqual(names)
  })

  test('every variable that it reads is in .env.example, to be set or named as set by compose.yaml', () => {
    expect(fixed(service)).toEqual(passes(described).fixed)
    for (const name of names) if (!fixed(service).includes(name)) expect([...settable.keys()]).toContain(name)
  })

  test('docs/configuration.md marks those that compose.yaml sets itself', () => {
    for (const { names: row, isFixed } of table(heading))
      expect([row, isFixed]).toEqual([row, row.some((name) => fixed(service).includes(name))])
  })

  test('docs/configuration.md has the defaults of the code', () => {
    for (const { names: row, defaults } of table(heading))
      for (const name of row) {
        const text = defaultsOf(variables).get(name)
        if (text) expect([name, defaults]).toEqual([name, expect.stringContaining(`\`${text}\``)])
      }
  })
})

describe('the game server', () => {
  test('docs/configuration.md explains and .env.example lists what compose.yaml passes to it', () => {
    const { all, fixed: own } = passes(compose.services.game)
    expect(explained('The game server').sort()).toEqual(all)
    expect(fixed('game server')).toEqual(own)
    for (const name of all) if (!own.includes(name)) expect([...settable.keys()]).toContain(name)
  })
})

describe('the Worker', () => {
  test('every variable that it reads is explained by docs/configuration.md, and no other', () => {
    expect(explained('The Worker').sort()).toEqual(readBy(worker).sort())
  })
})

describe('npm run edge:serve', () => {
  test('every variable that it reads in addition to those of the Worker is explained by docs/configuration.md, and no other', () => {
    const ofWorker = readBy(worker).flatMap((name) => [name, `${name}_FILE`])
    expect(explained('Your own edge').sort()).toEqual(
      readBy(ownEdge)
        .filter((name) => !ofWorker.includes(name))
        .sort(),
    )
  })
})

describe('the stack', () => {
  test('every variable in compose.yaml is in .env.example, and no other', () => {
    expect([...settable.keys()].sort()).toEqual([...interpolated(readText('compose.yaml'))].sort())
  })

  test('every variable of .env.example is explained by docs/configuration.md', () => {
    const all = ['The control API', 'The ticket service', 'The game server', 'The stack'].flatMap(explained)
    for (const name of settable.keys()) expect(all).toContain(name)
    for (const name of explained('The stack')) expect([...settable.keys()]).toContain(name)
  })
})

describe('the compose stack', () => {
  const needed = {
    API_KEY: 'a key of the control API'.replaceAll(' ', '-'),
    GAME_API_KEY: 'a key of the game',
    TICKET_KEY: 'a-key-of-the-ticket-service',
    VNC_PASSWORD: 'screen',
  }
  const unread = () => {
    throw new Error('no file is named')
  }
  const apiConfig = (env: Readonly<Record<string, string>>) =>
    readApi({ env, readFile: unread, isTerminal: false, newKey: () => '' })

  test('with .env.example and its required values, both processes accept their environment', () => {
    const { services } = composeWith({ ...Object.fromEntries(settable), ...needed })
    expect(apiConfig(services.api.environment)).toMatchObject({
      config: { bridge: 'upstream', GAME_API_URL: 'http://game:8080', GAME_API_KEY: needed.GAME_API_KEY },
    })
    expect(readTicket(services.ticket.environment)).toMatchObject({ config: { port: 3001, host: '0.0.0.0' } })
    expect(services.game.environment).toMatchObject({ VNC_PASSWORD: 'screen', API_KEY: needed.GAME_API_KEY })
  })

  test('an empty variable counts as unset: an empty .env and the unchanged .env.example give the same stack', () => {
    const copied = composeWith({ ...Object.fromEntries(settable), ...needed })
    const empty = composeWith(needed)
    expect(apiConfig(copied.services.api.environment)).toEqual(apiConfig(empty.services.api.environment))
    expect(readTicket(copied.services.ticket.environment)).toEqual(
      readTicket(empty.services.ticket.environment),
    )
    expect({ ...copied, services: undefined }).toEqual({ ...empty, services: undefined })
    expect(copied.services.game.image).toBe(empty.services.game.image)
  })

  test('without .env the control API uses the keys of the first start, and without those it refuses to start', () => {
    const { services } = composeWith({})
    const made: Readonly<Record<string, string>> = {
      '/data/farmgate/api_key': 'made-for-the-control-api',
      '/data/farmgate/game_api_key': 'made-for-the-game',
    }
    const reading = (readFile: (path: string) => string, env = services.api.environment) =>
      readApi({ env, readFile, isTerminal: false, newKey: () => '' })
    expect(reading((path) => made[path] ?? unread())).toMatchObject({
      config: { API_KEY: 'made-for-the-control-api', GAME_API_KEY: 'made-for-the-game' },
    })
    expect(reading(unread)).toMatchObject({
      problems: [{ variable: 'API_KEY' }, { variable: 'GAME_API_KEY' }],
    })
    // An operator who opens the farm has an open one, as before.
    const open = composeWith({ ALLOW_INSECURE_SETUP: 'true' }).services.api.environment
    expect(reading((path) => made[path] ?? unread(), open)).toMatchObject({ config: { API_KEY: undefined } })
  })

  test('the image tag of the game server is one with an HTTP API, and not `latest`, which is older', () => {
    expect(settable.get('GAME_IMAGE')).toBe('sdvd/server:preview')
    expect(composeWith(needed).services.game.image).toBe('sdvd/server:preview')
  })

  test('edge, limits, origins, proxies and log reach the control API', () => {
    const given = {
      EDGE_URL: 'https://edge.example',
      EDGE_LINK_KEY: 'link',
      RATE_LIMIT_READS: '7',
      ALLOWED_ORIGINS: 'https://panel.example',
      TRUST_PROXY: '1',
      LOG_LEVEL: 'debug',
    }
    expect(apiConfig(composeWith({ ...needed, ...given }).services.api.environment)).toMatchObject({
      config: {
        ...given,
        EDGE_URL: [given.EDGE_URL],
        RATE_LIMIT_READS: 7,
        TRUST_PROXY: 1,
        ALLOWED_ORIGINS: ['https://panel.example'],
      },
    })
  })

  test('API_PORT changes the port of the control API, its published port and the target of the HTTPS proxy', () => {
    const { services } = composeWith({ ...needed, API_PORT: '9000', PUBLISH_ADDRESS: '0.0.0.0' })
    expect(services.api.environment['API_PORT']).toBe('9000')
    expect(services.api.ports).toEqual(['0.0.0.0:9000:9000'])
    expect(services.https.command).toContain('--to api:9000')
    expect(composeWith(needed).services.api.ports).toEqual(['127.0.0.1:8080:8080'])
  })

  test('a secret in a file reaches only its own service', () => {
    const { services } = composeWith({ ...needed, API_KEY: '', API_KEY_FILE: '/run/secrets/api_key' })
    expect(services.api.volumes).toContain('./secrets/api:/run/secrets:ro')
    expect(services.ticket.volumes).toContain('./secrets/ticket:/run/secrets:ro')
    const reading = readApi({
      env: services.api.environment,
      readFile: (path) => (path === '/run/secrets/api_key' ? `${needed.API_KEY}\n` : unread()),
      isTerminal: false,
      newKey: () => '',
    })
    expect(reading).toMatchObject({ config: { API_KEY: needed.API_KEY } })
  })

  test('join password, tick rate, settings and mods of the game server can be set', () => {
    const { services } = composeWith({
      ...needed,
      SERVER_PASSWORD: 'farm',
      SERVER_TPS: '30',
      SERVER_NAME: 'Clover',
      AUTO_SLEEP_GRACE_SECONDS: '300',
      CROP_SAVER_LIGHTNING_IMMUNITY: 'false',
      SETTINGS_FOLDER: '/srv/settings',
      MODS_FOLDER: '/srv/mods',
      DIAGNOSTICS_FOLDER: '/srv/diagnostics',
    })
    expect(services.game.environment).toMatchObject({
      SERVER_PASSWORD: 'farm',
      SERVER_TPS: '30',
      SERVER_NAME: 'Clover',
      AUTO_SLEEP_GRACE_SECONDS: '300',
      CROP_SAVER_LIGHTNING_IMMUNITY: 'false',
      SETTINGS_PATH: '/data/settings/server-settings.json',
    })
    expect(services.game.volumes).toEqual(
      expect.arrayContaining([
        '/srv/settings:/data/settings',
        '/srv/mods:/data/Mods/extra',
        '/srv/diagnostics:/data/diagnostics',
      ]),
    )
  })

  test('the control API reads the saves, and can write to them, which a restore needs, with SAVES_ACCESS=rw', () => {
    const savesOf = (env: Record<string, string>) =>
      composeWith({ ...needed, ...env }).services.api.volumes.find((volume) => volume.startsWith('saves:'))
    expect(savesOf({})).toBe('saves:/data/saves:ro')
    expect(savesOf({ SAVES_ACCESS: 'rw' })).toBe('saves:/data/saves:rw')
  })

  test("the control API reads the folder of the game's mods, and can write to it with MODS_ACCESS=rw", () => {
    const modsOf = (env: Record<string, string>) =>
      composeWith({ ...needed, ...env }).services.api.volumes.find((volume) =>
        volume.includes(':/data/mods:'),
      )
    expect(modsOf({})).toBe('./mods:/data/mods:ro')
    expect(modsOf({ MODS_ACCESS: 'rw', MODS_FOLDER: '/srv/mods' })).toBe('/srv/mods:/data/mods:rw')
  })

  test('ALLOW_INSECURE_SETUP opens the control API only, GAME_ALLOW_INSECURE_SETUP the game server only', () => {
    const { services } = composeWith({ ...needed, ALLOW_INSECURE_SETUP: 'true' })
    expect(services.game.environment['ALLOW_INSECURE_SETUP']).toBe('')
    const other = composeWith({ ...needed, GAME_ALLOW_INSECURE_SETUP: 'true' }).services
    expect(other.api.environment['ALLOW_INSECURE_SETUP']).toBe('')
    expect(other.game.environment['ALLOW_INSECURE_SETUP']).toBe('true')
  })

  test('volumes have the name of the project before their own, unless another is set', () => {
    expect(composeWith(needed).volumes).toMatchObject({ saves: { name: 'farmgate_saves' } })
    expect(composeWith({ ...needed, COMPOSE_PROJECT_NAME: 'second' }).volumes).toMatchObject({
      saves: { name: 'second_saves' },
    })
  })
})
