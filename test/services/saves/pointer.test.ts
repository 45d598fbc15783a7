/** What the next start of the game loads, whatever the game has put in place of its pointer. */
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { nextSave, pointTo } from '../../../services/saves/pointer.ts'
import { type SavedFarm, savedFarm } from '../../backups/saved-farm.ts'
import { pointTo as gamePointsTo, pointedTo, pointerPath } from '../../game-server/saved-game.ts'

const name = 'Clover_123456789'
let saved: SavedFarm
let path: string
beforeEach(() => {
  saved = savedFarm()
  saved.save()
  path = pointerPath(saved.savesDir)
  gamePointsTo(saved.savesDir, name)
  return () => saved.remove()
})
const instead = (put: () => unknown) => {
  rmSync(path)
  put()
}
const linked = () => {
  const folder = dirname(path)
  renameSync(folder, `${saved.savesDir}/moved`)
  symlinkSync(`${saved.savesDir}/moved`, folder)
}
const next = () => nextSave(saved.savesDir)

test('the pointer names a save that is there, also with a mark of UTF-8 and while a night is cut off', async () => {
  expect(await next()).toEqual({ state: 'ok', name, save: name })
  writeFileSync(path, `\uFEFF${JSON.stringify({ SaveNameToLoad: name })}`)
  for (const file of [name, 'SaveGameInfo'])
    renameSync(join(saved.saves, name, file), join(saved.saves, name, `${file}_old`))
  expect(await next()).toMatchObject({ state: 'ok' })
})

test('a pointer to a folder that never existed is repairable by the number, unless the number stands twice', async () => {
  gamePointsTo(saved.savesDir, 'EM_123456789')
  expect(await next()).toEqual({ state: 'repairable', name: 'EM_123456789', save: name })
  saved.save({}, 'Other_123456789')
  expect(await next()).toEqual({ state: 'missing', name: 'EM_123456789' })
})

test('an empty folder is not a save, and names with slashes are only compared', async () => {
  mkdirSync(join(saved.saves, 'Empty_7'))
  for (const wrong of ['Empty_7', '../Saves/Clover', `./${name}/..`, 'SaveGameInfo']) {
    gamePointsTo(saved.savesDir, wrong)
    expect(await next()).toEqual({ state: 'missing', name: wrong })
  }
})

test.each([
  ['no file', () => rmSync(path)],
  ['an empty file', () => writeFileSync(path, '')],
  ['null', () => writeFileSync(path, 'null')],
  ['a null name', () => gamePointsTo(saved.savesDir, null)],
])('%s names no save', async (_what, put) => {
  put()
  expect(await next()).toEqual({ state: 'none' })
})

test.each([
  ['a link', () => instead(() => symlinkSync('/etc/hostname', path))],
  ['a folder', () => instead(() => mkdirSync(path))],
  ['a pipe', () => instead(() => execFileSync('mkfifo', [path]))],
  ['more than 64 KiB', () => writeFileSync(path, `{"SaveNameToLoad":"${name}"}${' '.repeat(65_536)}`)],
  ['no JSON', () => writeFileSync(path, '{"SaveNameToLoad')],
  ['another encoding', () => writeFileSync(path, Buffer.from(`{"SaveNameToLoad":"${name}"}`, 'utf16le'))],
  ['a list', () => writeFileSync(path, '[]')],
  ['a name that is not text', () => writeFileSync(path, '{"SaveNameToLoad":7}')],
  ['no JunimoServer', () => rmSync(dirname(path), { recursive: true })],
  ['a link in the path', linked],
])('%s in place of the pointer is unknown', async (_what, put) => {
  put()
  expect(await next()).toEqual({ state: 'unknown' })
})

test('a repair replaces the pointer in one step, with the rights of the file before', async () => {
  gamePointsTo(saved.savesDir, 'EM_123456789')
  chmodSync(path, 0o640)
  await pointTo(saved.savesDir, name)
  expect(pointedTo(saved.savesDir)).toBe(name)
  expect(statSync(path).mode & 0o777).toBe(0o640)
  expect(readdirSync(dirname(path))).toEqual(['junimohost.gameloader.json'])
  expect(readFileSync(path, 'utf8')).toBe(JSON.stringify({ SaveNameToLoad: name }))
})
