/** The package's form: what is in it, how it is resolved, how large it is, whether it can be published. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { describe, expect, test } from 'vitest'
import type { BotProject } from './bot-project.ts'

export function packageForm(project: () => BotProject): void {
  describe('the package', () => {
    test('publint finds nothing to mend', async () => {
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

    test('has the client, its declarations, the command line, README and licence, and nothing else', () => {
      const { installed } = project()
      expect(readdirSync(installed).sort()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json'])
      const files = readdirSync(join(installed, 'dist/client'))
      expect(files.filter((name) => !/\.(d\.ts|js)$/.test(name))).toEqual([])
    })

    test('the client imports nothing at run time, and takes at most 6 kB with gzip', async () => {
      const { outputFiles, metafile } = await build({
        entryPoints: [join(project().installed, 'dist/client/index.js')],
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
