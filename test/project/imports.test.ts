/** Who may import whom (design, "The house"). */
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const specifiers = /(?:\bfrom|\bimport)\s*\(?\s*['"]([^'"]+)['"]/g
const typesOnly = /import\s+type\s[^;'"]*['"]([^'"]+)['"]/g

interface Import {
  readonly file: string
  /** A package's name, or a path from the root. */
  readonly to: string
  readonly isType: boolean
}

function importsOf(folder: string): readonly Import[] {
  return globSync(`${folder}/**/*.{ts,tsx,js}`, { cwd: root }).flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8')
    const types = new Set([...text.matchAll(typesOnly)].map(([, name]) => name))
    return [...text.matchAll(specifiers)].map(([, name = '']) => ({
      file,
      to: name.startsWith('.') ? normalize(join(dirname(file), name)) : name,
      isType: types.has(name),
    }))
  })
}

const isLocal = ({ to }: Import) =>
  /^(handlers|runtime|process|ticket|dashboard|test|bench)\//.test(to) || to.startsWith('..')
const outside = (folder: string, allowed: (to: Import) => boolean) =>
  importsOf(folder)
    .filter((one) => !allowed(one))
    .map(({ file, to }) => `${file} imports ${to}`)

describe('the import rule', () => {
  test('handlers/ imports valibot and itself', () => {
    expect(importsOf('handlers').length).toBeGreaterThan(20)
    expect(outside('handlers', ({ to }) => to === 'valibot' || to.startsWith('handlers/'))).toEqual([])
  })

  test('process/ imports valibot, modules of Node and itself', () => {
    expect(importsOf('process').length).toBeGreaterThan(1)
    expect(
      outside('process', ({ to }) => to === 'valibot' || to.startsWith('node:') || to.startsWith('process/')),
    ).toEqual([])
  })

  test('runtime/ imports handlers/, process/, itself and packages', () => {
    expect(importsOf('runtime').length).toBeGreaterThan(20)
    expect(
      outside('runtime', (one) => !isLocal(one) || /^(handlers|runtime|process)\//.test(one.to)),
    ).toEqual([])
  })

  test('ticket/ imports process/, itself and packages', () => {
    expect(importsOf('ticket').length).toBeGreaterThan(20)
    expect(outside('ticket', (one) => !isLocal(one) || /^(ticket|process)\//.test(one.to))).toEqual([])
  })

  test('dashboard/ imports itself, packages, and of handlers/ types only', () => {
    expect(
      outside(
        'dashboard',
        (one) =>
          !isLocal(one) || one.to.startsWith('dashboard/') || (one.isType && one.to.startsWith('handlers/')),
      ),
    ).toEqual([])
  })
})
