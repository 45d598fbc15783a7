/** The valid names of files and targets of links in a manifest. */
import { describe, expect, test } from 'vitest'
import { parents, printable, safeLinkTarget, safePath } from '../../../ticket/depot/format/safe-path.ts'

describe('the name of a file', () => {
  test.each([
    ['a', 'a'],
    ['Content\\Maps\\Town.xnb', 'Content/Maps/Town.xnb'],
    ['./a//b/.', 'a/b'],
    ['a..b/...', 'a..b/...'],
    ['n'.repeat(255), 'n'.repeat(255)],
    [`${'d/'.repeat(63)}x`, `${'d/'.repeat(63)}x`],
    ['ab:c', 'ab:c'],
    ['a.download-x', 'a.download-x'],
  ])('%j is %j in the tree', (name, path) => expect(safePath(name)).toBe(path))

  test.each([
    ['a\u0000b', 'control character'],
    ['a\u001fb', 'control character'],
    ['a\u007fb', 'control character'],
    ['/a', 'absolute'],
    ['\\a', 'absolute'],
    ['Z:a', 'drive letter'],
    ['z:', 'drive letter'],
    ['', 'empty'],
    ['.', 'empty'],
    ['..', 'leaves the directory'],
    ['a/../b', 'leaves the directory'],
    ['n'.repeat(256), 'name too long'],
    ['é'.repeat(128), 'name too long'],
    [`${'d/'.repeat(1024)}xx`, 'path too long'],
    [`${'d/'.repeat(64)}x`, 'too many folders'],
    ['a/.download-lock', 'reserved name'],
  ])('%j is refused: %s', (name, why) => {
    expect(() => safePath(name)).toThrow(`the manifest names a file that is refused (${why}): `)
  })

  test('has the folders above it, outermost first', () => {
    expect([parents('a/b/c'), parents('a')]).toEqual([['a', 'a/b'], []])
  })

  test('is shown in quotes, and cut when it is long', () => {
    expect(printable('a\u001b[2J"b')).toBe('"a\\u001b[2J\\"b"')
    expect(printable('x'.repeat(120))).toBe(`"${'x'.repeat(120)}"`)
    expect(printable('x'.repeat(121))).toBe(`"${'x'.repeat(120)}…"`)
  })
})

describe('the target of a link', () => {
  test.each([
    ['lib/a', 'b', 'b'],
    ['lib/a', '../b', '../b'],
    ['lib/deep/a', '..\\..\\b', '../../b'],
    ['a', './b', './b'],
  ])('of %s can be %s', (path, target, written) => expect(safeLinkTarget(path, target)).toBe(written))

  test.each([
    ['a', '../b'],
    ['lib/a', '../../b'],
    ['lib/a', 'x/../../../lib/b'],
    ['a', '../b'],
    ['a', 'lib/../b'],
    ['a', '/b'],
    ['a', '\\b'],
    ['a', 'C:b'],
    ['a', ''],
    ['a', 'b\u0000'],
    ['a', 'b\u007f'],
  ])('of %s is refused: %j', (path, target) => {
    expect(() => safeLinkTarget(path, target)).toThrow(/^the manifest links "\S+" to ".*", outside the tree$/)
  })
})
