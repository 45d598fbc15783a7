import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const folder = fileURLToPath(new URL('../../ticket', import.meta.url))
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.ts'),
)
const text = (file: string) => readFileSync(`${folder}/${file}`, 'utf8')

test('nothing of the ticket service imports the control API or the edge', () => {
  expect(files.length).toBeGreaterThan(20)
  for (const file of files)
    expect(text(file), file).not.toMatch(/from '(?:\.\.\/)+(?:handlers|runtime|dashboard|test)\//)
})

test('healthcheck, help and the HTTP side load without the platform library', () => {
  const loaded = new Set<string>()
  const follow = (file: string): void => {
    if (loaded.has(file)) return
    loaded.add(file)
    for (const [, path] of text(file).matchAll(/^(?:import (?!type)|\} )[^'\n]*from '(\.[^']+)'/gm)) {
      follow(new URL(path ?? '', `file:///${file}`).pathname.slice(1))
    }
  }
  for (const entry of ['main.ts', 'commands/healthcheck.ts', 'commands/serve.ts']) follow(entry)
  expect([...loaded]).toContain('http/app.ts')
  expect([...loaded]).not.toContain('steam-user.ts')
  expect([...loaded]).not.toContain('session/sign-in.ts')
})
