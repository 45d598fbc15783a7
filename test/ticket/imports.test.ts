import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const text = (file: string) => readFileSync(`${root}/${file}`, 'utf8')

test('healthcheck, help and the HTTP server do not load the Steam library', () => {
  const loaded = new Set<string>()
  const follow = (file: string): void => {
    if (loaded.has(file)) return
    loaded.add(file)
    for (const [, path] of text(file).matchAll(/^(?:import (?!type)|\} )[^'\n]*from '(\.[^']+)'/gm)) {
      follow(new URL(path ?? '', `file:///${file}`).pathname.slice(1))
    }
  }
  for (const entry of ['main.ts', 'commands/healthcheck.ts', 'commands/serve.ts']) follow(`ticket/${entry}`)
  expect([...loaded]).toContain('ticket/http/app.ts')
  expect([...loaded]).not.toContain('ticket/steam-user.ts')
  expect([...loaded]).not.toContain('ticket/session/sign-in.ts')
})
