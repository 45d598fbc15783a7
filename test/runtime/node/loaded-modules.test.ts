import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

/** Prints the loaded modules of packages and of this repository after the import of a file. */
const program = `
import { registerHooks } from 'node:module'
const loaded = []
registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) })
await import(process.argv[1])
process.stdout.write(JSON.stringify(loaded), () => process.exit())
`

/** @returns which of the parts of paths are loaded with a file */
function loadedWith(file: string, parts: readonly string[]): readonly string[] {
  const path = fileURLToPath(new URL(`../../../${file}`, import.meta.url))
  const args = ['--input-type=module', '-e', program, path]
  const loaded: readonly string[] = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }))
  return parts.filter((part) => loaded.some((url) => url.includes(part)))
}

test('modules that only some farms need, or only on request, are not loaded when a farm starts', () => {
  const needed = ['/runtime/node/server.ts', '/node_modules/hono/']
  const rare = [
    '/node_modules/age-encryption/',
    '/node_modules/pino-pretty/',
    '/runtime/documents/openapi.ts',
  ]
  expect(loadedWith('runtime/node/run.ts', [...needed, ...rare])).toEqual(needed)
})

test('the session of the ticket service loads the Steam libraries when it needs them', () => {
  const libraries = ['/node_modules/steam-session/', '/node_modules/steam-user/']
  const files = ['/ticket/session/open-session.ts', '/ticket/session/browser-sign-in.ts']
  expect(loadedWith('ticket/session/keep-session.ts', [...files, ...libraries])).toEqual(files)
})
