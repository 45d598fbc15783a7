import { describe, expect, test } from 'vitest'
import { readText } from '../compose.ts'
import { importsOf, isLocal } from './imported.ts'

/** Folders that the files of a folder import, directly or through others. */
function importedFolders(folder: string, found = new Set([folder])): ReadonlySet<string> {
  for (const one of importsOf(folder).filter(isLocal)) {
    const [to = ''] = one.to.split('/')
    if (!found.has(to)) importedFolders(to, found.add(to))
  }
  return found
}
const copied = (dockerfile: string) =>
  [...readText(dockerfile).matchAll(/^COPY (\w+) \.\/\1$/gm)].map(([, folder = '']) => folder)

describe.each([
  ['the control API', 'runtime', 'Dockerfile'],
  ['the ticket service', 'ticket', 'ticket/Dockerfile'],
])('the image of %s', (_, folder, dockerfile) => {
  test('holds every folder that its process imports from, and no other', () => {
    expect(copied(dockerfile).sort()).toEqual([...importedFolders(folder)].sort())
  })

  test('is built from a context that has these folders, without .env and secrets', () => {
    const ignored = readText(folder === 'ticket' ? 'ticket/Dockerfile.dockerignore' : '.dockerignore')
    const lines = ignored.trim().split('\n')
    for (const one of copied(dockerfile))
      if (lines.includes('**')) expect(lines).toContain(`!${one}/**`)
      else expect(lines.map((line) => line.replace(/^\//, ''))).not.toContain(one)
    if (!lines.includes('**'))
      expect(lines).toEqual(expect.arrayContaining(['.env', '/secrets', 'node_modules']))
  })
})
