import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeFolder } from '../../../services/records/make-folder.ts'
import { newFolder } from '../../new-folder.ts'

const modeOf = (path: string) => statSync(path).mode & 0o777

test('a folder is made with its parents, for this user only', () => {
  const root = newFolder()
  expect(makeFolder(join(root, 'a', 'b'))).toBe(join(root, 'a'))
  expect([modeOf(join(root, 'a')), modeOf(join(root, 'a', 'b'))]).toEqual([0o700, 0o700])
  expect(makeFolder(join(root, 'a', 'b'))).toBeUndefined()
})

test('a file in the way is an error', () => {
  const file = join(newFolder(), 'file')
  writeFileSync(file, '')
  expect(() => makeFolder(join(file, 'data'))).toThrow('ENOTDIR')
})

test('a place where the system allows no folder is an error, and does not hang', () => {
  expect(() => makeFolder('/proc/farmgate/data')).toThrow()
})
