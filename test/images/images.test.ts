/** The contents of the images. */
import { chownSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cacheFolder } from '../../deploy/images/build.ts'
import lock from '../../package-lock.json' with { type: 'json' }
import { readText } from '../compose.ts'
import { codeBlock } from '../project/code-blocks.ts'
import { buildTime, builtImages, describeImages, secretNextToSources } from './built.ts'
import { type Machine, startMachine } from './machine.ts'
import { base } from './stack.ts'

/** npm writes a single system as a text. */
const systems = v.optional(
  v.pipe(
    v.union([v.string(), v.array(v.string())]),
    v.transform((one) => [one].flat()),
  ),
)
const names = v.optional(v.record(v.string(), v.string()), {})
const packages = v.parse(
  v.record(
    v.string(),
    v.object({
      version: v.optional(v.string()),
      dependencies: names,
      optionalDependencies: names,
      os: systems,
      cpu: systems,
      libc: systems,
    }),
  ),
  lock.packages,
)

/** The folder of a package in node_modules, as Node finds it from another one. */
function placeOf(name: string, from: string): string | undefined {
  const place = `${from === '' ? '' : `${from}/`}node_modules/${name}`
  if (place in packages) return place
  return from === ''
    ? undefined
    : placeOf(name, from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/'))))
}

/** A package and its dependencies, with versions. */
function needs(name: string, from = '', found = new Map<string, string>()): ReadonlyMap<string, string> {
  const place = placeOf(name, from)
  const { version = '', dependencies, optionalDependencies, os, cpu, libc } = packages[place ?? ''] ?? {}
  const fits = (!os || os.includes('linux')) && (!cpu || cpu.includes(process.arch)) && libc?.[0] !== 'musl'
  if (place === undefined || found.has(place) || !fits || name.endsWith('-musl')) return found
  // Types alone, which the Dockerfiles delete.
  if (name.startsWith('@types/') || name === 'undici-types') return found
  found.set(place, version)
  for (const next of Object.keys({ ...dependencies, ...optionalDependencies })) needs(next, place, found)
  return found
}

/** The packages that the last stage of a Dockerfile names. */
function named(dockerfile: string): readonly string[] {
  const lines = readText(dockerfile).replaceAll(/\s*\\\n\s*/g, ' ')
  return [...lines.matchAll(/keep-packages\.cjs ([^&]+) &&/g)].at(-1)?.[1]?.split(' ') ?? []
}

describeImages('the image of', () => {
  let machine: Machine
  let images: { readonly api: string; readonly ticket: string }
  beforeAll(async () => {
    images = await builtImages()
    machine = await startMachine(cacheFolder)
  }, buildTime)
  afterAll(() => machine?.close())

  const own = [
    ['the control API', 'api', 'Dockerfile', 20e6],
    ['the ticket service', 'ticket', 'ticket/Dockerfile', 45e6],
  ] as const
  const inImage = (name: 'api' | 'ticket', ...command: readonly string[]) => {
    const options = ['--rm', '--network=none', `--cgroup-parent=/${machine.cgroups}`]
    const [entry = '', ...args] = command
    return machine.run('podman', 'run', ...options, `--entrypoint=${entry}`, images[name], ...args)
  }
  const inspect = (image: string, format: string) =>
    machine.run('podman', 'image', 'inspect', `--format=${format}`, image)

  test.each(own)('%s runs as a user that is not root, and reports its health', async (_, name) => {
    expect(await inImage(name, 'id', '-u')).toBe('1000')
    expect(await inspect(images[name], '{{len .HealthCheck.Test}} {{.HealthCheck.Retries}}')).toMatch(
      /^[1-9] 3$/,
    )
  })

  test('the control API has `farmgate init`, which writes a .env for the user who runs it, as in docs/friends.md', async () => {
    const folder = join(machine.folder, 'a checkout')
    mkdirSync(folder)
    chownSync(folder, 4321, 4321)
    const command = codeBlock('docs/friends.md', 'docker run --rm -it').replace('docker run ', '')
    const ours: Readonly<Record<string, string>> = {
      '-it': '-i',
      '"$(id -u)"': '4321',
      '"$PWD:/farm"': `${folder}:/farm`,
    }
    const words: readonly string[] = command.match(/"[^"]*"|\S+/g) ?? []
    const args = [
      '--network=none',
      `--cgroup-parent=/${machine.cgroups}`,
      ...words.map((one) => (one.startsWith('ghcr.io/') ? images.api : (ours[one] ?? one))),
    ]
    expect(await machine.run('podman', 'run', ...args)).toContain('docker compose up -d')
    const { mode, uid } = statSync(join(folder, '.env'))
    expect([mode & 0o777, uid]).toEqual([0o600, 4321])
  })

  test.each(own)(
    '%s has the packages that its programs need, in the versions of package-lock.json, and no other',
    async (_, name, dockerfile) => {
      const list = `
      const { globSync, readFileSync } = require('node:fs')
      const found = globSync('**/node_modules/{*,@*/*}/package.json', { cwd: '/app' })
        .map((file) => [file.slice(0, -13), JSON.parse(readFileSync('/app/' + file, 'utf8')).version.replace(/^v/, '')])
      console.log(JSON.stringify(found))`
      const found = v.parse(
        v.array(v.tuple([v.string(), v.string()])),
        JSON.parse(await inImage(name, 'node', '-e', list)),
      )
      const needed = new Map(named(dockerfile).flatMap((one) => [...needs(one)]))
      expect(found.length).toBeGreaterThan(20)
      expect(Object.fromEntries(found)).toEqual(Object.fromEntries(needed))
    },
  )

  test.each(own)('%s has no types, source maps, tests and pages of packages', async (_, name) => {
    const unused = ['*.map', '*.d.ts', '*.d.cts', '*.d.mts', '*.md', 'test']
    const patterns = unused.flatMap((pattern) => ['-o', '-name', pattern]).slice(1)
    expect(await inImage(name, 'find', '/app/node_modules', '(', ...patterns, ')')).toBe('')
  })

  test('the control API has the built dashboard, and neither its sources nor its build tools', async () => {
    expect(await inImage('api', 'ls', '/app/dist/dashboard')).toContain('index.html')
    expect((await inImage('api', 'ls', '/app', '/app/node_modules')).split('\n')).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(dashboard|vite|preact|typescript)$/)]),
    )
  })

  test.each(own)(
    '%s adds to its base no more than docs/testing.md says',
    async (_, name, _dockerfile, most) => {
      const size = async (image: string) => Number(await inspect(image, '{{.Size}}'))
      expect((await size(images[name])) - (await size(base))).toBeLessThan(most)
    },
  )

  test('neither has a secret of files next to the sources, in a layer or in the output of `inspect`', async () => {
    // The archive has every layer, unpacked, and the descriptions of the images.
    const save = `podman save --format=docker-archive --multi-image-archive ${images.api} ${images.ticket}`
    const found = `grep --text --only-matching -F -e farmgate -e ${secretNextToSources} | sort --unique`
    expect(await machine.run('bash', '-o', 'pipefail', '-c', `${save} | ${found}`)).toBe('farmgate')
  })
})
