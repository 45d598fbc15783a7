/** The templates of catalogues: made from one description, and right by the rules of each catalogue. */
import { execFileSync, spawnSync } from 'node:child_process'
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { stackVariables } from '../../deploy/templates/description.ts'
import { templates } from '../../deploy/templates/templates.ts'
import { version } from '../../lib/version.ts'
import { composeWith } from '../compose.ts'
import { isInstalled } from '../left-out.ts'
import { newFolder } from '../new-folder.ts'
import { dash } from './installed.ts'

const folder = fileURLToPath(new URL('../../deploy/templates/', import.meta.url))
const read = (path: string) => readFileSync(join(folder, path), 'utf8')
/** As Compose inserts it. */
const variable = (name: string) => `\${${name}}`
const names = stackVariables.map(({ name }) => name)

test('npm run templates writes them all from one description, and those here are what it writes', () => {
  const made = templates()
  const here = globSync('*/**/*.*', { cwd: folder }).sort()
  expect(here).toEqual([...made.keys()].sort())
  for (const [path, content] of made)
    expect([path, Buffer.from(content).equals(readFileSync(join(folder, path)))]).toEqual([path, true])
})

const address = v.pipe(v.string(), v.url(), v.startsWith('https://'))
const text = v.pipe(v.string(), v.minLength(1))
/** An image with a tag that is a version: none that moves with every release. */
const image = v.pipe(v.string(), v.regex(/^[a-z0-9./-]+:[\w.-]+/), v.excludes(':latest'))
const service = v.looseObject({
  image,
  volumes: v.array(v.string()),
  environment: v.record(v.string(), v.string()),
})
const inFolder = (data: string) =>
  v.record(
    v.string(),
    v.object({ ...service.entries, volumes: v.array(v.pipe(v.string(), v.startsWith(data))) }),
  )

describe('CasaOS', () => {
  const app = parse(read('casaos/docker-compose.yml'))

  test('has an app with x-casaos by the specification, and no image with the tag latest', () => {
    // https://github.com/IceWhaleTech/CasaOS-AppStore/blob/main/docs/specs/compose-and-x-casaos.md
    const localized = v.looseObject({ en_US: text })
    const metadata = v.strictObject({
      id: v.pipe(v.string(), v.regex(/^[a-z0-9]+([._-][a-z0-9]+)*(\.[a-z0-9]+([._-][a-z0-9]+)*)+$/)),
      main: v.picklist(Object.keys(app.services)),
      index: v.pipe(v.string(), v.startsWith('/')),
      port_map: v.pipe(v.string(), v.regex(/^\d+$/)),
      scheme: v.picklist(['http', 'https']),
      icon: address,
      title: localized,
      tagline: localized,
      description: localized,
      screenshot_link: v.array(v.picklist([...templates().keys()].map((path) => path.slice(7)))),
      tips: v.strictObject({ before_install: localized }),
      author: text,
      developer: text,
      category: v.picklist([
        'Media',
        'Productivity',
        'Home',
        'Networking',
        'AI',
        'Finance',
        'Social',
        'Developer',
        'Others',
      ]),
      architectures: v.array(v.picklist(['amd64', 'arm64'])),
      version: v.literal(version),
      website: address,
      repo: address,
      support: address,
      docs: address,
    })
    const file = v.looseObject({
      name: v.pipe(v.string(), v.regex(/^[a-z0-9_-]+$/)),
      services: inFolder('/DATA/AppData/$AppID/'),
      'x-casaos': metadata,
    })
    expect(v.safeParse(file, app).issues).toBeUndefined()
    expect(app.services.api.ports).toEqual(['0.0.0.0:8080:8080'])
    for (const path of ['icon.svg', 'screenshot-1.png']) expect(templates().has(`casaos/${path}`)).toBe(true)
  })

  test('its services are those of compose.yaml, with the variables that a newcomer needs', () => {
    const { services } = composeWith({})
    expect(Object.keys(app.services)).toEqual(['game', 'prepare', 'ticket', 'api'])
    for (const [name, { image }] of Object.entries<{ image: string }>(app.services))
      expect(image).toBe(services[name as 'game'].image)
    expect(app.services.game.environment).toHaveProperty('SERVER_PASSWORD')
    expect(app.services.api.environment).not.toHaveProperty('DOCKER_HOST')
    expect(app.services.api.volumes).toContain('/DATA/AppData/$AppID/saves:/data/saves:rw')
  })
})

describe('Umbrel', () => {
  const app = 'umbrel/farmgate-farm'
  // https://github.com/getumbrel/umbrel-apps/blob/master/README.md
  const manifest = v.strictObject({
    manifestVersion: v.literal(1.1),
    id: v.literal('farmgate-farm'),
    category: text,
    name: text,
    version: v.literal(version),
    tagline: text,
    description: text,
    releaseNotes: v.string(),
    developer: text,
    website: address,
    dependencies: v.array(v.string()),
    repo: address,
    support: address,
    port: v.pipe(v.number(), v.integer(), v.minValue(1024), v.maxValue(65_535)),
    gallery: v.array(address),
    icon: address,
    path: v.string(),
    defaultUsername: v.string(),
    defaultPassword: v.string(),
    deterministicPassword: v.literal(true),
    submitter: text,
    submission: address,
  })
  const pinned = v.pipe(image, v.regex(/@sha256:[0-9a-f]{64}$/))

  test('has a store, and in it an app with a manifest 1.1 whose id begins with that of the store', () => {
    const store = v.parse(
      v.strictObject({ id: v.pipe(v.string(), v.regex(/^[a-z-]+$/)), name: text }),
      parse(read('umbrel/umbrel-app-store.yml')),
    )
    const found = v.safeParse(manifest, parse(read(`${app}/umbrel-app.yml`)))
    expect(found.issues).toBeUndefined()
    expect(app).toContain(`/${store.id}-`)
  })

  test('every image has a digest, all data is in the folder of the app, and only the game has ports', () => {
    const { services, networks } = parse(read(`${app}/docker-compose.yml`))
    const { app_proxy, ...own } = services
    expect(networks).toBeUndefined()
    expect(app_proxy).toEqual({ environment: { APP_HOST: 'farmgate-farm_api_1', APP_PORT: 8080 } })
    expect(v.safeParse(inFolder(`${variable('APP_DATA_DIR')}/data/`), own).issues).toBeUndefined()
    expect(Object.values<{ image: string }>(own).every(({ image }) => v.is(pinned, image))).toBe(true)
    expect(Object.entries<object>(own).flatMap(([name, one]) => ('ports' in one ? [name] : []))).toEqual([
      'game',
    ])
    expect(services.api.environment).toMatchObject({
      API_KEY: variable('APP_PASSWORD'),
      GAME_API_URL: 'http://farmgate-farm_game_1:8080',
    })
    expect(JSON.stringify(services)).not.toMatch(/docker\.sock|http:\/\/(game|ticket):/)
  })

  test('those of a release have the digests of its images, and without one of them there are none', () => {
    const digest = `sha256:${'ab'.repeat(32)}`
    const own = 'ghcr.io/farmgate/farmgate'
    const names = [own, `${own}-ticket`, 'sdvd/server:preview', 'node:24-slim']
    const lines = names.map((name) => `${name}@${digest}\n`)
    const { services } = parse(String(templates(lines.join('')).get(`${app}/docker-compose.yml`)))
    const { app_proxy: _, ...pinned } = services
    expect(Object.values<{ image: string }>(pinned).map(({ image }) => image.split('@'))).toEqual(
      [`${own}:${version}`, 'sdvd/server:preview', `${own}-ticket:${version}`, 'node:24-slim'].map((name) => [
        name,
        digest,
      ]),
    )
    for (const missing of lines)
      expect(() => templates(lines.filter((line) => line !== missing).join(''))).toThrow(
        missing.replace(/^(\S+?)@.*\n$/, 'There is no digest of the image $1'),
      )
  })
})

test('Portainer has a template of version 3 and type 3, which names the compose.yaml of the repository', () => {
  // https://docs.portainer.io/advanced/app-templates/format
  const template = v.strictObject({
    id: v.literal(1),
    type: v.literal(3),
    title: text,
    name: text,
    description: text,
    note: text,
    categories: v.array(text),
    platform: v.literal('linux'),
    logo: address,
    repository: v.strictObject({ url: address, stackfile: v.literal('compose.yaml') }),
    env: v.array(
      v.strictObject({
        name: v.pipe(v.string(), v.regex(/^[A-Z_]+$/)),
        label: text,
        description: v.optional(text),
        default: v.optional(text),
        preset: v.optional(v.literal(true)),
      }),
    ),
  })
  const file = v.strictObject({ version: v.literal('3'), templates: v.tuple([template]) })
  const found = v.parse(file, JSON.parse(read('portainer/templates.json')))
  const env = found.templates[0].env
  expect(env.filter(({ preset }) => !preset).map(({ name }) => name)).toEqual([...names, 'PUBLISH_ADDRESS'])
  const settable = readFileSync(new URL('../../.env.example', import.meta.url), 'utf8')
  for (const { name } of env) expect(settable).toMatch(new RegExp(`^${name}=`, 'm'))
})

const xmllint = { name: 'xmllint', debianPackage: 'libxml2-utils' }
describe.runIf(isInstalled('the templates of Unraid', xmllint))('Unraid', () => {
  const files = ['farmgate-game.xml', 'farmgate-ticket.xml', 'farmgate-api.xml']
  /** @returns the values of an XPath, one a line */
  const found = (file: string, path: string): readonly string[] =>
    execFileSync('xmllint', ['--xpath', path, join(folder, 'unraid', file)], { encoding: 'utf8' })
      .trim()
      .split('\n')
      .map((line) => line.trim().replace(/^\w+="(.*)"$/, '$1'))

  test('has three templates with the fields of Community Applications', () => {
    // https://ca.unraid.net/submit/help/xml-field-reference
    for (const file of files) {
      for (const tag of [
        'Name',
        'Repository',
        'Overview',
        'Category',
        'Icon',
        'Support',
        'Project',
        'TemplateURL',
      ])
        expect([file, tag, found(file, `string(/Container[@version="2"]/${tag})`)[0]]).toEqual([
          file,
          tag,
          expect.stringMatching(/./),
        ])
      expect(found(file, 'string(/Container/TemplateURL)')[0]).toMatch(new RegExp(`/${file}$`))
      expect(found(file, 'string(/Container/Repository)')[0]).not.toContain(':latest')
      expect(found(file, 'string(/Container/Privileged)')).toEqual(['false'])
      for (const type of found(file, '//Config/@Type')) expect(['Port', 'Path', 'Variable']).toContain(type)
      for (const display of found(file, '//Config/@Display'))
        expect(['always', 'advanced']).toContain(display)
      expect(found(file, 'count(//Config[not(@Name and @Target and @Required and @Mask)])')).toEqual(['0'])
      expect(found(file, 'count(//Config[string() != @Default])')).toEqual(['0'])
    }
  })

  test('no key is shown, and each container gets the folders that another one writes', () => {
    for (const file of files)
      expect(
        found(
          file,
          'count(//Config[contains(@Target, "KEY") or contains(@Target, "PASSWORD")][@Mask="false"])',
        ),
      ).toEqual(['0'])
    const game = found('farmgate-game.xml', '//Config[@Type="Path"]/@Default')
    for (const name of ['game', 'saves', 'settings', 'mods'])
      expect(game).toContain(`/mnt/user/appdata/farmgate/${name}`)
    expect(found('farmgate-ticket.xml', '//Config[@Type="Path"]/@Default')).toContain(
      '/mnt/user/appdata/farmgate/game',
    )
    expect(found('farmgate-api.xml', 'string(/Container/ExtraParams)')[0]).toContain('--user=99:100')
  })

  test('has a ca_profile.xml with a profile', () => {
    // https://ca.unraid.net/submit/help/repository-info-xml
    expect(found('ca_profile.xml', 'string(/CommunityApplications/Profile)')[0]).toMatch(/.{40}/)
    for (const tag of ['Icon', 'WebPage'])
      expect(found('ca_profile.xml', `string(/CommunityApplications/${tag})`)[0]).toMatch(/^https:/)
  })
})

describe('the egg of Pelican and Pterodactyl', () => {
  // https://pterodactyl.io/community/config/eggs/creating_a_custom_egg.html
  const json = v.pipe(v.string(), v.parseJson())
  const schema = v.strictObject({
    _comment: v.string(),
    meta: v.strictObject({ version: v.literal('PTDL_v2'), update_url: address }),
    exported_at: v.pipe(v.string(), v.isoTimestamp()),
    name: text,
    author: v.pipe(v.string(), v.email()),
    description: text,
    features: v.null(),
    docker_images: v.record(text, image),
    file_denylist: v.array(v.string()),
    startup: text,
    config: v.strictObject({ files: json, startup: json, logs: json, stop: text }),
    scripts: v.strictObject({
      installation: v.strictObject({
        script: v.pipe(v.string(), v.startsWith('#!/bin/sh\n')),
        container: image,
        entrypoint: v.literal('sh'),
      }),
    }),
    variables: v.array(
      v.strictObject({
        name: text,
        description: text,
        env_variable: v.pipe(v.string(), v.regex(/^[A-Z_]+$/)),
        default_value: v.string(),
        user_viewable: v.boolean(),
        user_editable: v.boolean(),
        rules: v.pipe(v.string(), v.regex(/^required\|/)),
        field_type: v.literal('text'),
      }),
    ),
  })
  const egg = v.parse(schema, JSON.parse(read('egg/egg-farmgate.json')))

  test('is for the control API next to a game server of the panel', () => {
    const variables = new Map(egg.variables.map((one) => [one.env_variable, one]))
    expect([...variables.keys()]).toEqual(
      expect.arrayContaining(['PELICAN_URL', 'PELICAN_KEY', 'PELICAN_SERVER', 'API_KEY', 'GAME_API_URL']),
    )
    expect(variables.get('GAME_HOST')?.default_value).toBe('pelican')
    expect(egg.startup).toContain('farmgate serve')
  })

  test.runIf(isInstalled('the installation script of the egg', dash))(
    'its installation script installs the package under dash, and fails when npm does',
    () => {
      const place = newFolder()
      const bin = join(place, 'bin')
      const server = join(place, 'server')
      for (const one of [bin, server]) mkdirSync(one)
      const { script } = egg.scripts.installation
      const run = (exit: number) => {
        writeFileSync(join(bin, 'npm'), `#!/bin/sh\necho "$(pwd) $*"; exit ${exit}\n`, { mode: 0o755 })
        return spawnSync('dash', ['-c', script.replaceAll('/mnt/server', server)], {
          encoding: 'utf8',
          env: { PATH: `${bin}:${process.env['PATH']}`, FARMGATE_VERSION: '1.2.3' },
        })
      }
      expect(run(0)).toMatchObject({
        status: 0,
        stdout: `${server} install --no-audit --no-fund farmgate@1.2.3\n`,
      })
      expect(run(1).status).toBe(1)
      const shellcheck = spawnSync('shellcheck', ['-'], { input: script, encoding: 'utf8' })
      if (shellcheck.error === undefined) expect(shellcheck.stdout).toBe('')
    },
  )
})
