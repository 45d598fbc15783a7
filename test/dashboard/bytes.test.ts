/** How much a browser loads: the build, compressed as by servers and proxies. */
import { readdirSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'

const folder = new URL('../../dist/dashboard/', import.meta.url)
const read = (name: string) => readFileSync(new URL(name, folder))
/** What a page loads first. Its files are next to the page of a farm, and one folder above that of a fleet. */
const firstOf = (page: string) => [
  page,
  ...[
    ...read(page)
      .toString()
      .matchAll(/(?:src|href)="\.{1,2}\/(assets\/[^"]+)"/g),
  ].map(([, name = '']) => name),
]
const pages = ['index.html', 'fleet/index.html'] as const
const first = pages.flatMap(firstOf)
const compressed = (names: readonly string[]) =>
  names.reduce((sum, name) => sum + gzipSync(read(name)).byteLength, 0)

test.each([
  ['a farm', 'index.html', 'index'],
  ['a fleet', 'fleet/index.html', 'fleet'],
])('the first load of the page of %s is at most 45 kB with gzip', (_of, page, script) => {
  const names = firstOf(page)
  const loaded = names.map((name) => name.replace(/-[\w-]{8}\./, '.'))
  expect(loaded).toEqual(expect.arrayContaining(['assets/icon.svg', `assets/${script}.js`]))
  expect(loaded.some((name) => name.endsWith('.css'))).toBe(true)
  expect(compressed(names)).toBeLessThanOrEqual(45_000)
})

test('each part that a view loads later is at most 30 kB with gzip', () => {
  const later = readdirSync(new URL('assets/', folder))
    .map((name) => `assets/${name}`)
    // Not those of the help, whose search loads its index.
    .filter((name) => !first.includes(name) && !name.startsWith('assets/help-'))
  expect(later.length).toBeGreaterThan(0)
  for (const name of later) expect([name, compressed([name]) <= 30_000]).toEqual([name, true])
})

test('no file contains another one', () => {
  for (const name of first)
    expect([name, /;base64,[\w+/]{16}/.test(read(name).toString())]).toEqual([name, false])
})
