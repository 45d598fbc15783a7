/** No folder and no file imports, directly or through others, one that imports it. */
import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { type Import, importsOf, isLocal } from './imported.ts'

/** @returns each path from a place back to itself, such as `a → b → a`; imports of types count. */
function cycles(
  imports: readonly Pick<Import, 'file' | 'to'>[],
  placeOf: (file: string) => string,
): string[] {
  const edges = new Map<string, Set<string>>()
  for (const { file, to } of imports) {
    const [from, target] = [placeOf(file), placeOf(to)]
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

const rooms = [
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
  'own-edge',
]

test.each(rooms)('in %s/ no two folders import each other, type imports included', (room) => {
  const imports = importsOf(room)
  expect(imports.length).toBeGreaterThan(1)
  expect(cycles(imports.filter(isLocal), dirname)).toEqual([])
})

test.each(rooms)('in %s/ no two files import each other, directly or through others', (room) => {
  // A path from file to file can be long, so only files in a cycle are kept.
  let imports = importsOf(room).filter(isLocal)
  for (let before = Infinity; imports.length < before; ) {
    before = imports.length
    const importers = new Set(imports.map(({ file }) => file))
    const imported = new Set(imports.map(({ to }) => to))
    imports = imports.filter(({ file, to }) => importers.has(to) && imported.has(file))
  }
  expect(cycles(imports, (file) => file)).toEqual([])
})

test('a cycle of any length between folders is found', () => {
  const chain = [
    { file: 'a/x.ts', to: 'a/b/y.ts' },
    { file: 'a/b/y.ts', to: 'c/z.ts' },
  ]
  expect(cycles(chain, dirname)).toEqual([])
  expect(cycles([...chain, { file: 'c/z.ts', to: 'a/x.ts' }], dirname)).toEqual(['c → a → a/b → c'])
})
