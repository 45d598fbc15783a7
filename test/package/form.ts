/** The package's form: what is in it, how it is resolved, how large it is, whether it can be published. */
import { globSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import type { BotProject } from './bot-project.ts'

export function packageForm(project: () => BotProject): void {
  describe('the package', () => {
    test('publint finds nothing to fix', async () => {
      const { messages, pkg } = await publint({ pkgDir: project().installed, strict: true, pack: false })
      expect(messages.map((message) => formatMessage(message, pkg))).toEqual([])
    })

    test('the types are right for every way in which an ES module is resolved', () =>
      project().tool(
        '@arethetypeswrong/cli/dist/index.js',
        project().tarball,
        '--profile',
        'esm-only',
        '--no-emoji',
      ))

    test('npm would publish it as it is', async () => {
      const published = await project().npm('publish', '--dry-run', project().tarball)
      expect(published).toMatch(/^\+ farmgate@\d+\.\d+\.\d+$/)
    })

    test('has the client, its declarations, the command line with the farm that it shows, README and licence, and nothing else', () => {
      const { installed } = project()
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
        const isRight = folder === 'client' ? /\.(d\.ts|js)$/ : /\.(c?js|json)$/
        expect([folder, files.filter((name) => !isRight.test(name))]).toEqual([folder, []])
      }
    })

    test('installs the packages that its own files import, and no other: none of the ticket service', () => {
      const { installed } = project()
      const { dependencies } = v.parse(
        v.object({ dependencies: v.record(v.string(), v.string()) }),
        JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')),
      )
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

    test('the client imports nothing at run time, and takes at most 6 kB with gzip', async () => {
      const { outputFiles, metafile } = await build({
        entryPoints: [join(project().installed, 'client/index.js')],
        bundle: true,
        minify: true,
        format: 'esm',
        platform: 'neutral',
        metafile: true,
        write: false,
      })
      expect(Object.values(metafile.outputs).flatMap(({ imports }) => imports)).toEqual([])
      expect(gzipSync(outputFiles[0]?.contents ?? new Uint8Array()).length).toBeLessThanOrEqual(6_000)
    })
  })
}
