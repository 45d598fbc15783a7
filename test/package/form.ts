/** The package's form: its files, how it is resolved, its size, and whether it can be published. */
import { globSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import type { BotProject } from './bot-project.ts'

const manifest = v.looseObject({
  dependencies: v.optional(v.record(v.string(), v.string()), {}),
  repository: v.object({ url: v.string() }),
})
const manifestIn = (folder: string) =>
  v.parse(manifest, JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')))

export function packageForm(project: () => BotProject): void {
  describe.each(['client', 'commandLine'] as const)('the package of the %s', (which) => {
    test('publint finds nothing to fix', async () => {
      const { installed } = project()[which]
      const { messages, pkg } = await publint({ pkgDir: installed, strict: true, pack: false })
      expect(messages.map((message) => formatMessage(message, pkg))).toEqual([])
    })

    test('npm would publish it unchanged', async () => {
      const { name, folder, tarball } = project()[which]
      const published = await project().npm(folder, 'publish', '--dry-run', tarball)
      expect(published).toMatch(new RegExp(`^\\+ ${name}@\\d+\\.\\d+\\.\\d+$`))
    })

    test('names its repository, without which npm refuses its provenance', () => {
      expect(manifestIn(project()[which].installed).repository.url).toBe(packageJson.repository.url)
    })
  })

  describe('the package of the client', () => {
    test('installs nothing but itself, of at most 200 kB', () => {
      const modules = join(project().client.folder, 'node_modules')
      // The tests need ws, which has no dependencies.
      expect(readdirSync(modules).filter((name) => !name.startsWith('.'))).toEqual(['@farmgate', 'ws'])
      const own = join(modules, '@farmgate')
      expect(readdirSync(own)).toEqual(['client'])
      const files = readdirSync(own, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
      const bytes = files.reduce(
        (sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size,
        0,
      )
      expect(bytes).toBeLessThanOrEqual(200_000)
    })

    test('has compiled files, their declarations, README and licence, and nothing else', () => {
      const others = readdirSync(project().client.installed).filter((name) => !/\.(d\.ts|js)$/.test(name))
      expect(others.sort()).toEqual(['LICENSE', 'README.md', 'package.json'])
    })

    test('it imports nothing at run time, and takes at most 6,500 bytes with gzip', async () => {
      const { outputFiles, metafile } = await build({
        entryPoints: [join(project().client.installed, 'index.js')],
        bundle: true,
        minify: true,
        format: 'esm',
        platform: 'neutral',
        metafile: true,
        write: false,
      })
      expect(Object.values(metafile.outputs).flatMap(({ imports }) => imports)).toEqual([])
      expect(gzipSync(outputFiles[0]?.contents ?? new Uint8Array()).length).toBeLessThanOrEqual(6_500)
    })
  })

  describe('the package of the command line', () => {
    test('has the command line with its demo farm, README and licence, and nothing else', () => {
      const { installed } = project().commandLine
      const folders = [
        'bridges',
        'cli',
        'client',
        'dashboard',
        'handlers',
        'lib',
        'runtime',
        'services',
        'viewer',
      ]
      expect(readdirSync(installed).sort()).toEqual(
        ['LICENSE', 'README.md', 'package.json', ...folders].sort(),
      )
      for (const folder of folders.filter((one) => !['dashboard', 'viewer'].includes(one))) {
        const files = readdirSync(join(installed, folder), { recursive: true, withFileTypes: true })
          .filter((one) => one.isFile())
          .map(({ name }) => name)
        expect([folder, files.filter((name) => !/\.(c?js|json)$/.test(name))]).toEqual([folder, []])
      }
    })

    test('installs the packages that its own files import, and no other: none of the ticket service', () => {
      const { installed } = project().commandLine
      const { dependencies } = manifestIn(installed)
      const imported = globSync('**/*.{js,cjs}', { cwd: installed, exclude: ['dashboard/**', 'viewer/**'] })
        .map((file) => readFileSync(join(installed, file), 'utf8'))
        .flatMap((text) => [
          ...text.matchAll(/(?:\bfrom|\bimport|\bresolve|\btarget:)\s*\(?\s*['"`]((?:@[\w.-]+\/)?[\w.-]+)/g),
        ])
        .map(([, name = '']) => name)
        // Its files are copied into viewer/.
        .filter((name) => name !== 'swagger-ui-dist')
      const names = Object.keys(dependencies)
      expect(names.filter((name) => !imported.includes(name))).toEqual([])
      expect(names).not.toContain('steam-user')
      expect(
        Object.keys(packageJson.dependencies)
          .filter((name) => imported.includes(name))
          .sort(),
      ).toEqual(names.sort())
    })
  })
}
