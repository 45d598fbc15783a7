import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

/** Prints the loaded modules of packages and of this repository after a start of `serve`. */
const program = `
import { registerHooks } from 'node:module'
const loaded = []
registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) })
await import(process.argv[1])
process.stdout.write(JSON.stringify(loaded), () => process.exit())
`

test('modules that only some farms need, or only on request, are not loaded when a farm starts', () => {
  const run = fileURLToPath(new URL('../../../runtime/node/run.ts', import.meta.url))
  const args = ['--input-type=module', '-e', program, run]
  const loaded: readonly string[] = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }))
  const isLoaded = (part: string) => loaded.some((url) => url.includes(part))
  expect(['/runtime/node/server.ts', '/node_modules/hono/'].filter(isLoaded)).toHaveLength(2)
  const rare = [
    '/node_modules/age-encryption/',
    '/node_modules/pino-pretty/',
    '/runtime/documents/openapi.ts',
  ]
  expect(rare.filter(isLoaded)).toEqual([])
})
