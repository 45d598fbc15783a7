import { existsSync } from 'node:fs'
import picomatch from 'picomatch'
import { describe, expect, test } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { readText } from '../compose.ts'
import { importsOf, isLocal } from './imported.ts'

const folders = ['handlers', 'runtime', 'services', 'bridges', 'lib', 'ticket', 'client', 'cli']
const imports = Map.groupBy(folders.flatMap(importsOf).filter(isLocal), ({ file }) => file)

/** The files of folders, and those that they import, directly or through other files. */
function importedFiles(folders: readonly string[]): readonly string[] {
  const files = new Set([...imports.keys()].filter((file) => folders.includes(file.split('/')[0] ?? '')))
  // A set also visits entries that are added during the loop.
  for (const file of files) for (const { to } of imports.get(file) ?? []) files.add(to)
  return [...files]
}

/** The folders of a program. A file of lib/ that the program does not import adds no folder. */
const importedFolders = (folder: string): ReadonlySet<string> =>
  new Set(importedFiles([folder]).map((file) => file.split('/')[0] ?? ''))

/**
 * The files in the context of `docker build`: the last matching pattern decides, and one with `!` includes a file
 * again. An ignore file named after the Dockerfile takes precedence. @see
 * https://docs.docker.com/build/concepts/context/#dockerignore-files
 */
function contextOf(dockerfile: string): (path: string) => boolean {
  const own = `${dockerfile}.dockerignore`
  const lines = readText(existsSync(new URL(`../../${own}`, import.meta.url)) ? own : '.dockerignore').split(
    '\n',
  )
  const patterns = lines.filter((line) => line !== '' && !line.startsWith('#'))
  return (path) =>
    !patterns.reduce((ignored, pattern) => {
      const fits = picomatch.isMatch(path, pattern.replace(/^!?\/?/, ''), { dot: true })
      return fits ? !pattern.startsWith('!') : ignored
    }, false)
}

/** The packages that each stage of a Dockerfile keeps. */
function keptPackages(dockerfile: string): readonly (readonly string[])[] {
  const lines = readText(dockerfile).replaceAll(/\s*\\\n\s*/g, ' ')
  return [...lines.matchAll(/^RUN node \/keep-packages\.cjs ([^&]+) &&/gm)].map(([, names = '']) =>
    names.split(' '),
  )
}

/** The packages that folders import. The viewer behind `/docs` is not an import: its files are found by their name. */
function importedPackages(folders: readonly string[]): readonly string[] {
  const known = Object.keys({ ...packageJson.dependencies, ...packageJson.devDependencies })
  const imported = folders.flatMap((folder) => importsOf(folder).map(({ to }) => to))
  if (folders.includes('runtime')) imported.push('swagger-ui-dist')
  return known.filter((name) => imported.some((to) => to === name || to.startsWith(`${name}/`)))
}

/** The folders of the stage that builds the programs. */
const copied = (dockerfile: string) => {
  const [stage = ''] = /^FROM \S+ AS programs\n(?:(?!FROM).*\n)*/m.exec(readText(dockerfile)) ?? []
  return [...stage.matchAll(/^COPY (\w+)\/ \1\/$/gm)].map(([, folder = '']) => folder)
}

describe.each([
  ['the control API', 'cli', 'Dockerfile'],
  ['the ticket service', 'ticket', 'ticket/Dockerfile'],
])('the image of %s', (_, folder, dockerfile) => {
  test('is built from every folder that its processes import from, and no other', () => {
    expect(copied(dockerfile).sort()).toEqual([...importedFolders(folder)].sort())
  })

  test('builds its programs with the packages that go into them, and holds those that stay outside, and no other', () => {
    const [, list = ''] = /const external = \[([^\]]+)\]/.exec(readText('deploy/programs/build.ts')) ?? []
    const external = [...list.matchAll(/'([^']+)'/g)].map(([, name = '']) => name)
    const [built = [], held = []] = keptPackages(dockerfile).slice(-2)
    const imported = Map.groupBy(importedPackages(copied(dockerfile)), (name) => external.includes(name))
    expect([...built].sort()).toEqual(['esbuild', ...(imported.get(false) ?? [])].sort())
    expect([...held].sort()).toEqual([...(imported.get(true) ?? [])].sort())
  })

  const isInContext = contextOf(dockerfile)

  test('is built from a context with every file that it copies', () => {
    const files = [...readText(dockerfile).matchAll(/^COPY (?!--from)(.+) \S+$/gm)]
      .flatMap(([, names = '']) => names.split(' '))
      .filter((name) => name.includes('.'))
    expect(files).toContain('package.json')
    for (const file of files) expect([file, isInContext(file)]).toEqual([file, true])
    for (const one of copied(dockerfile)) expect(isInContext(`${one}/of/it/file.ts`)).toBe(true)
  })

  test('holds every file of lib/ that its processes import', () => {
    const own = copied(dockerfile).filter((one) => one !== 'lib')
    expect(importedFiles(own).filter((file) => file.startsWith('lib/') && !isInContext(file))).toEqual([])
  })

  test.each([
    '.env',
    '.env.bak',
    '.dev.vars',
    'runtime/.env',
    'ticket/session/.env.local',
    'secrets/api/api_key',
    'my-secrets/ticket/password',
    'settings/server-settings.json',
    'session-junimo.json',
    '.git/config',
    'node_modules/hono/package.json',
  ])('is built from a context without %s', (path) => {
    expect(isInContext(path)).toBe(false)
  })
})

test('the dashboard is built with the packages that it imports, and no other', () => {
  const [first = []] = keptPackages('Dockerfile')
  expect([...first].sort()).toEqual([...importedPackages(['dashboard', 'client'])].sort())
})

test.each([
  ['the control API', 'npm run serve', 'Dockerfile', packageJson.scripts.serve],
  ['the ticket service', 'npm run ticket', 'ticket/Dockerfile', packageJson.scripts.ticket],
])('the image of %s runs Node with the memory limits of %s', (_what, _command, dockerfile, script) => {
  const [, options] = /^node ((?:--\S+ )+)runtime/.exec(script) ?? []
  expect(options).toContain('--max-semi-space-size')
  expect(readText(dockerfile)).toContain(`NODE_OPTIONS="${options?.trim()}"`)
})
