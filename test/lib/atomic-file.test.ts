import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { open, rename, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { type AtomicFileSystem, openAtomicFile, syncFolder } from '../../lib/atomic-file.ts'
import { newFolder } from '../new-folder.ts'

let folder: string
const path = () => join(folder, 'file')
const temporary = () => join(folder, 'new')
beforeEach(() => {
  folder = newFolder()
})

const disk: AtomicFileSystem = { open, rename, unlink }
const failing = (code: string) => Promise.reject(Object.assign(new Error(code), { code }))
const openIt = (changes: { reserve?: number; fs?: AtomicFileSystem } = {}) =>
  openAtomicFile(path(), { temporary: temporary(), mode: 0o600, ...changes })

test('a file is replaced atomically, with its mode, and no temporary file remains', async () => {
  writeFileSync(path(), 'old')
  const file = await openIt()
  expect(readFileSync(path(), 'utf8')).toBe('old')
  await file.commit('new')
  expect(readFileSync(path(), 'utf8')).toBe('new')
  expect(statSync(path()).mode & 0o777).toBe(0o600)
  expect(readdirSync(folder)).toEqual(['file'])
})

test('reserved space is not part of the written file', async () => {
  const file = await openIt({ reserve: 16_384 })
  expect(statSync(temporary()).size).toBe(16_384)
  await file.commit('short')
  expect(readFileSync(path(), 'utf8')).toBe('short')
})

test('an aborted write keeps the old file, and the temporary file of a killed process is overwritten', async () => {
  writeFileSync(path(), 'old')
  writeFileSync(temporary(), 'left by another')
  await (await openIt()).release()
  expect(readdirSync(folder)).toEqual(['file'])
  expect(readFileSync(path(), 'utf8')).toBe('old')
})

test('a full disk or a failed rename leaves only the old file', async () => {
  writeFileSync(path(), 'old')
  const full = { ...disk, open: () => open('/dev/full', 'w') }
  await expect(openIt({ reserve: 1, fs: full })).rejects.toMatchObject({ code: 'ENOSPC' })
  const file = await openIt({ fs: { ...disk, rename: () => failing('EIO') } })
  await expect(file.commit('new')).rejects.toMatchObject({ code: 'EIO' })
  expect(readdirSync(folder)).toEqual(['file'])
  expect(readFileSync(path(), 'utf8')).toBe('old')
})

/** A file system whose fsync of folders fails with a code. */
const syncing = (code: string): Pick<AtomicFileSystem, 'open'> => ({
  async open(at, flags, mode) {
    const handle = await open(at, flags, mode)
    handle.sync = () => failing(code)
    return handle
  },
})

test.each(['EINVAL', 'EPERM', 'ENOTSUP', 'ENOSYS'])(
  'a file system without fsync for folders (%s) is accepted',
  async (code) => {
    await syncFolder(folder, syncing(code))
  },
)

test('an fsync of the folder that fails for another reason is an error', async () => {
  await expect(syncFolder(folder, syncing('EIO'))).rejects.toMatchObject({ code: 'EIO' })
})
