/** No folder imports, directly or through others, a folder that imports it. */
import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { type Import, importsOf, isLocal } from './imported.ts'

/** @returns each way from a folder back to itself, such as `a → b → a`; imports of types count. */
function folderCycles(imports: readonly Pick<Import, 'file' | 'to'>[]): string[] {
  const edges = new Map<string, Set<string>>()
  for (const { file, to } of imports) {
    const [from, target] = [dirname(file), dirname(to)]
    if (from !== target) edges.set(from, (edges.get(from) ?? new Set()).add(target))
  }
  const found = new Map<string, string>()
  const follow = (way: readonly string[]): void => {
    for (const next of edges.get(way.at(-1) ?? '') ?? []) {
      const start = way.indexOf(next)
      if (start < 0) follow([...way, next])
      else {
        const cycle = way.slice(start)
        found.set([...cycle].sort().join(), [...cycle, next].join(' → '))
      }
    }
  }
  for (const folder of edges.keys()) follow([folder])
  return [...found.values()]
}

test.each([
  'lib',
  'handlers',
  'bridges',
  'services',
  'runtime',
  'ticket',
  'client',
  'cli',
  'dashboard',
  'deploy',
])('in %s/ no two folders import each other, type imports included', (room) => {
  const imports = importsOf(room)
  expect(imports.length).toBeGreaterThan(1)
  expect(folderCycles(imports.filter(isLocal))).toEqual([])
})

test('a cycle of any length between folders is found', () => {
  const chain = [
    { file: 'a/x.ts', to: 'a/b/y.ts' },
    { file: 'a/b/y.ts', to: 'c/z.ts' },
  ]
  expect(folderCycles(chain)).toEqual([])
  expect(folderCycles([...chain, { file: 'c/z.ts', to: 'a/x.ts' }])).toEqual(['c → a → a/b → c'])
})
