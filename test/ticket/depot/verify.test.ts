import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { gameFilter } from '../../../ticket/depot/plan/filter.ts'
import type { FileSpec } from '../../platform/depots.ts'
import { seededBytes } from '../../platform/seeded.ts'
import { digest, farm, tree } from './farm.ts'
import { galaxyLibrary, gameDepot, gameFiles } from './games.ts'

const english = gameFilter(new Set(), [])
const changed = (path: string, content: Buffer): FileSpec[] =>
  gameFiles().map((file) => (file.path === path ? { ...file, content } : file))

test('names that differ only in case are both kept', async () => {
  const { download, directory } = await farm(gameDepot())
  await download()
  const found = tree(directory)
  expect(found['Content/Maps/Town.xnb']).toBe(digest(seededBytes(8, 200_000)))
  expect(found['Content/Maps/town.xnb']).toBe(digest(seededBytes(9, 1000)))
})

test('the launcher and steam_appid.txt are written when missing or when the manifest changes them, otherwise left alone', async () => {
  const { download, directory, publish, plan } = await farm(gameDepot())
  await download()
  const launcher = join(directory, 'StardewValley')
  writeFileSync(launcher, 'a mod loader')
  writeFileSync(join(directory, 'steam_appid.txt'), '1')
  expect((await download()).changed).toBe(0)
  expect(plan().replaced).toEqual(['StardewValley', 'steam_appid.txt'])
  expect(readFileSync(launcher, 'utf8')).toBe('a mod loader')
  rmSync(launcher)
  await download()
  expect(readFileSync(launcher, 'utf8')).toContain('launcher 1')
  writeFileSync(launcher, 'a mod loader')
  publish(gameDepot(changed('StardewValley', Buffer.from('launcher 2')), '7999999999999999999'))
  await download()
  expect(readFileSync(launcher, 'utf8')).toBe('launcher 2')
  expect(readFileSync(join(directory, 'steam_appid.txt'), 'utf8')).toBe('1')
})

test('verify reports replaced launcher files as replaced, not as wrong', async () => {
  const { download, directory, check } = await farm(gameDepot())
  await download()
  writeFileSync(join(directory, 'StardewValley'), 'a mod loader')
  const found = await check()
  expect(found.replaced).toEqual(['StardewValley'])
  expect(found.differences).toEqual([])
})

test('the two Galaxy libraries get their executable-stack flag cleared, and verify accepts exactly that change', async () => {
  const { download, directory, check, cdn } = await farm(gameDepot())
  await download()
  const library = join(directory, 'libGalaxy64.so')
  const patched = readFileSync(library)
  const original = galaxyLibrary(3)
  expect(patched[124]).toBe(6)
  expect(original[124]).toBe(7)
  expect(patched.subarray(125)).toEqual(original.subarray(125))
  expect((await check()).differences).toEqual([])

  writeFileSync(
    library,
    Buffer.concat([patched.subarray(0, 200), Buffer.of((patched[200] ?? 0) ^ 1), patched.subarray(201)]),
  )
  expect((await check()).differences).toEqual([{ path: 'libGalaxy64.so', what: 'different' }])
  writeFileSync(library, original)
  expect((await check()).differences).toEqual([{ path: 'libGalaxy64.so', what: 'loader fix missing' }])
  const before = cdn.chunkRequests()
  await download()
  expect(readFileSync(library)).toEqual(patched)
  expect(cdn.chunkRequests()).toBe(before)
})

test('verify changes nothing and lists what differs', async () => {
  const { download, directory, check } = await farm(gameDepot())
  await download({ filter: gameFilter(new Set(['de-DE']), []) })
  rmSync(join(directory, 'Content/Maps/town.xnb'))
  writeFileSync(join(directory, 'Content/Maps/Town.xnb'), 'short')
  chmodSync(join(directory, 'Stardew Valley'), 0o644)
  rmSync(join(directory, 'lib/libSDL2.so'))
  renameSync(join(directory, 'Mods'), join(directory, 'Mods2'))
  const before = tree(directory, true)
  const { differences } = await check(english)
  expect(differences).toEqual([
    { path: 'Content/Maps/town.xnb', what: 'missing' },
    { path: 'Content/Maps/Town.xnb', what: 'different' },
    { path: 'lib/libSDL2.so', what: 'link' },
    { path: 'Mods', what: 'missing' },
    { path: 'Stardew Valley', what: 'not executable' },
    { path: 'Content/Maps/Town.de-DE.xnb', what: 'not wanted' },
    // Of the two maps, and of the language: the list still names the language.
    { path: 'Content/ContentHashes.json', what: 'not pruned' },
  ])
  expect(tree(directory, true)).toEqual(before)
})

test('verify accepts a pruned ContentHashes.json, and no other change of it', async () => {
  const { download, directory, check } = await farm(gameDepot())
  await download({ filter: english })
  expect((await check(english)).differences).toEqual([])
  const at = join(directory, 'Content/ContentHashes.json')
  writeFileSync(at, readFileSync(at, 'utf8').replace('hash-1', 'hash-2'))
  expect((await check(english)).differences).toEqual([
    { path: 'Content/ContentHashes.json', what: 'not pruned' },
  ])
  expect((await download({ filter: english })).changed).toBe(1)
  expect((await check(english)).differences).toEqual([])
})

test('verify compares with the installed version, not with a newer one', async () => {
  const { download, check, publish } = await farm(gameDepot())
  await download()
  publish(gameDepot(changed('Content/Maps/Town.xnb', seededBytes(50, 200_000)), '7999999999999999999'))
  expect((await check()).differences).toEqual([])
})

test('a tree that the existing sidecar downloaded is adopted without a new download', async () => {
  const { download, directory, cdn } = await farm(gameDepot())
  for (const { path, content, target } of gameFiles()) {
    if (content === undefined || target !== undefined) continue
    mkdirSync(join(directory, path, '..'), { recursive: true })
    writeFileSync(join(directory, path), content)
  }
  writeFileSync(join(directory, 'StardewValley'), 'a mod loader')
  await download({ filter: english })
  const list = cdn.requests.filter(({ kind }) => kind === 'chunk').length
  expect(list).toBe(1)
  expect(readFileSync(join(directory, 'StardewValley'), 'utf8')).toBe('a mod loader')
})
