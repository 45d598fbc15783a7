/** The settings file on failing disks, and while a person edits it by hand. */
import { chownSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { open, rename, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { withSettingsFile } from '../../../bridges/settings-file/change-settings.ts'
import { newWorldSettings } from '../../../bridges/settings-file/new-worlds.ts'
import { readSettingsFile, type SettingsFileSystem } from '../../../bridges/settings-file/settings-file.ts'
import { oneAtATime } from '../../../lib/one-at-a-time.ts'
import { canRun } from '../../left-out.ts'
import { newFolder } from '../../new-folder.ts'
import { steeredFarm } from '../simulated/steered-farm.ts'

let folder = ''
const path = () => join(folder, 'server-settings.json')
beforeEach(() => {
  folder = newFolder()
  writeFileSync(path(), 'before')
})

const disk: SettingsFileSystem = { open, rename, unlink }
const failing = (code: string) => Promise.reject(Object.assign(new Error(code), { code }))
const failureOf = (called: Promise<unknown>) =>
  called.then(
    () => undefined,
    (error: unknown) => error,
  )
const replace = async (fs: SettingsFileSystem) => (await readSettingsFile(path(), fs)).replace('after')

/** Runs a function when the temporary file is opened. */
const meanwhile = (act: () => void): SettingsFileSystem => ({
  ...disk,
  open(name, flags, mode) {
    if (flags === 'wx') act()
    return open(name, flags, mode)
  },
})

test('the file is replaced as a whole, and nothing else is left', async () => {
  await replace(disk)
  expect(readFileSync(path(), 'utf8')).toBe('after')
  expect(readdirSync(folder)).toEqual(['server-settings.json'])
})

test('a look whether the file can be replaced waits for a change, which is kept', async () => {
  const changes = oneAtATime()
  writeFileSync(path(), '{"Game":{"FarmName":"Before"}}')
  const game = withSettingsFile(steeredFarm(), path(), changes)
  const whole = newWorldSettings(path(), changes)
  for (const farmName of ['Clover', 'Robin', 'Abby', 'Haley', 'Emily']) {
    await Promise.all([
      game.changeSettings({ game: { farmName } }),
      ...Array.from({ length: 5 }, () => whole.checkWritable()),
    ])
    expect(whole.farmName(readFileSync(path(), 'utf8'))).toBe(farmName)
  }
  expect(readdirSync(folder)).toEqual(['server-settings.json'])
})

test.each([
  ['edited in its place', () => writeFileSync(path(), 'by hand')],
  [
    'replaced',
    () => {
      writeFileSync(`${path()}.swp`, 'by hand')
      renameSync(`${path()}.swp`, path())
    },
  ],
])('a file that was %s during the change is settings_changed and not overwritten', async (_how, edit) => {
  expect(await failureOf(replace(meanwhile(edit)))).toMatchObject({ failure: { kind: 'settings_changed' } })
  expect(readFileSync(path(), 'utf8')).toBe('by hand')
  expect(readdirSync(folder)).toEqual(['server-settings.json'])
})

test('a file that was removed during the change is settings_changed and not made again', async () => {
  expect(await failureOf(replace(meanwhile(() => rmSync(path()))))).toMatchObject({
    failure: { kind: 'settings_changed' },
  })
  expect(readdirSync(folder)).toEqual([])
})

test.each([
  ['on a read-only mount', 'EROFS', /without :ro/],
  ['in a folder of another user', 'EACCES', /the right to read it and to write in its folder/],
  ['on a full disk', 'ENOSPC', /the disk is full/],
])('a file %s is settings_file, with the fix, and keeps its content', async (_where, code, sentence) => {
  const fs: SettingsFileSystem = {
    ...disk,
    open: (name, flags, mode) => (flags === 'wx' ? failing(code) : open(name, flags, mode)),
  }
  expect(await failureOf(replace(fs))).toMatchObject({
    failure: { kind: 'settings_file', sentence: expect.stringMatching(sentence) },
  })
  expect(readFileSync(path(), 'utf8')).toBe('before')
})

test.each(['EBUSY', 'EXDEV'])(
  'a file that is mounted alone (%s) is settings_file, and the temporary file is removed',
  async (code) => {
    const failure = await failureOf(replace({ ...disk, rename: () => failing(code) }))
    expect(failure).toMatchObject({
      failure: { kind: 'settings_file', sentence: expect.stringContaining('mount its folder') },
    })
    expect(readdirSync(folder)).toEqual(['server-settings.json'])
    expect(readFileSync(path(), 'utf8')).toBe('before')
  },
)

test('an unexpected error is not hidden', async () => {
  expect(await failureOf(replace({ ...disk, rename: () => failing('EIO') }))).toMatchObject({ code: 'EIO' })
})

const ownerProblem = process.getuid?.() === 0 ? undefined : 'only root can give a file to another user'
test.runIf(canRun('the owner of a replaced settings file', ownerProblem))(
  'the new file has the owner of the old one',
  async () => {
    chownSync(path(), 1234, 2345)
    await replace(disk)
    expect(statSync(path())).toMatchObject({ uid: 1234, gid: 2345 })
  },
)
