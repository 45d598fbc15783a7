/** How much a browser loads: the build, compressed as by servers and proxies. */
import { readdirSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'

const folder = new URL('../../dist/dashboard/', import.meta.url)
const read = (name: string) => readFileSync(new URL(name, folder))
const page = read('index.html')
const first = [...page.toString().matchAll(/(?:src|href)="\.\/(assets\/[^"]+)"/g)].map(
  ([, name = '']) => name,
)
const compressed = (names: readonly string[]) =>
  names.reduce((sum, name) => sum + gzipSync(read(name)).byteLength, 0)

test('the first load is at most 45 kB with gzip', () => {
  expect(first.map((name) => name.replace(/-[\w-]{8}\./, '.'))).toEqual(
    expect.arrayContaining(['assets/icon.svg', 'assets/index.css', 'assets/index.js']),
  )
  expect(compressed(['index.html', ...first])).toBeLessThanOrEqual(45_000)
})

test('each part that a view loads later is at most 30 kB with gzip', () => {
  const later = readdirSync(new URL('assets/', folder))
    .map((name) => `assets/${name}`)
    .filter((name) => !first.includes(name))
  expect(later.length).toBeGreaterThan(0)
  for (const name of later) expect([name, compressed([name]) <= 30_000]).toEqual([name, true])
})

test('no file contains another one', () => {
  for (const name of first)
    expect([name, /;base64,[\w+/]{16}/.test(read(name).toString())]).toEqual([name, false])
})
