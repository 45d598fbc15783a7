import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { installGame, verifyGame } from '../../../ticket/depot/install/game.ts'
import { gameFilter } from '../../../ticket/depot/plan/filter.ts'
import { partialPath } from '../../../ticket/depot/tree/file-names.ts'
import { inMemory } from '../../new-folder.ts'
import { depotPlatform } from '../../platform/depot-platform.ts'
import { type FileSpec, makeDepot } from '../../platform/depots.ts'
import { seededBytes } from '../../platform/seeded.ts'
import { contentServer, contextOf, digest, farm, GAME, newFolder, tree, treeOf } from './farm.ts'
import { galaxyLibrary, gameDepot, gameFiles, sdkDepot } from './games.ts'
import { child, depot, orderFor } from './six-files.ts'
import { spawnOf } from './spawn.ts'

const english = gameFilter(new Set(), [])
const changed = (path: string, content: Buffer): FileSpec[] =>
  gameFiles().map((file) => (file.path === path ? { ...file, content } : file))
const without = (path: string): FileSpec[] => gameFiles().filter((file) => file.path !== path)
const MARKER = '.download-manifest-413150'

test('the Steam SDK is written to GAME_DIR/.steam-sdk before the game', async () => {
  const cdn = await contentServer(gameDepot(), sdkDepot())
  const platform = depotPlatform({ [GAME]: gameDepot(), 1007: sdkDepot() }, [cdn.host])
  const directory = newFolder()
  const { context, close } = contextOf(platform)
  const order: number[] = []
  const note = ({ appId }: { appId: number }): void => void order.push(appId)
  await installGame({ appId: GAME, directory, filter: english }, note, context)
  expect(order).toEqual([1007, GAME])
  expect(existsSync(join(directory, '.steam-sdk/linux64/steamclient.so'))).toBe(true)
  const game = cdn.requests.findIndex(({ path }) => path.includes('/413153/'))
  expect(cdn.requests.slice(game).every(({ path }) => path.includes('/413153/'))).toBe(true)

  // An SDK repair removes the game's marker first.
  writeFileSync(join(directory, '.steam-sdk/linux64/steamclient.so'), 'damaged')
  cdn.knobs.fault = ({ path }) =>
    path.includes('/1006/chunk/') && existsSync(join(directory, MARKER))
      ? { do: 'status', status: 404 }
      : undefined
  await installGame({ appId: GAME, directory, filter: english }, note, context)
  expect(existsSync(join(directory, MARKER))).toBe(true)
  const verified = await verifyGame({ appId: GAME, directory, filter: english }, context)
  expect(verified.flatMap(({ differences }) => differences)).toEqual([])
  await close()
})

test('the marker is written last and removed first when an update starts', async () => {
  const { download, directory, cdn, publish } = await farm(gameDepot())
  const seen: boolean[] = []
  cdn.knobs.fault = ({ kind }) => {
    if (kind === 'chunk') seen.push(existsSync(join(directory, MARKER)))
    return undefined
  }
  await download()
  const marker = JSON.parse(readFileSync(join(directory, MARKER), 'utf8'))
  expect(marker).toMatchObject({ appId: GAME, depotId: 413153, targetOs: 'linux' })
  publish(gameDepot(changed('Content/Maps/Town.xnb', seededBytes(50, 200_000)), '7999999999999999999'))
  await download()
  expect(seen.length).toBeGreaterThan(10)
  expect(seen).not.toContain(true)
  // As the existing sidecar writes it: a JSON number, beyond what a double can hold.
  expect(readFileSync(join(directory, MARKER), 'utf8')).toContain('"manifestId": 7999999999999999999')
})

test('files of an earlier run that the new filter excludes are deleted', async () => {
  const { download, directory, plan } = await farm(gameDepot())
  await download({ filter: gameFilter(new Set(['de-DE']), []) })
  expect(tree(directory)).toHaveProperty(['Content/Maps/Town.de-DE.xnb'])
  await download({ filter: english })
  expect(plan().delete).toEqual(['Content/Maps/Town.de-DE.xnb'])
  expect(tree(directory)).not.toHaveProperty(['Content/Maps/Town.de-DE.xnb'])
  expect(readFileSync(join(directory, 'Content/ContentHashes.json'), 'utf8')).not.toContain('de-DE')
  await download({ filter: gameFilter(new Set(['de-DE']), []) })
  expect(readFileSync(join(directory, 'Content/ContentHashes.json'), 'utf8')).toContain('de-DE')
})

test('ContentHashes.json lists exactly the files present, order and values kept', async () => {
  const { download, directory } = await farm(gameDepot())
  await download({ filter: english })
  const depotText = String(gameFiles().find(({ path }) => path.endsWith('ContentHashes.json'))?.content)
  const text = readFileSync(join(directory, 'Content/ContentHashes.json'), 'utf8')
  const order = (json: string): string[] => [...json.matchAll(/"([^"]+\.xnb)"/g)].map(([, name = '']) => name)
  expect(order(text)).toEqual(order(depotText).filter((name) => existsSync(join(directory, 'Content', name))))
  expect(text).toContain('"Maps/Town.xnb": 12345678901234567890')
  expect(readdirSync(join(directory, 'Content')).filter((name) => name.startsWith('.'))).toEqual([])
})

test('running download again changes no file', async () => {
  const { download, directory, cdn } = await farm(gameDepot())
  await download({ filter: english })
  const before = tree(directory, true)
  const times = readdirSync(directory).map((name) => statSync(join(directory, name)).mtimeMs)
  const requests = cdn.chunkRequests()
  const again = await download({ filter: english })
  expect(again.changed).toBe(0)
  expect(cdn.chunkRequests()).toBe(requests)
  expect(tree(directory, true)).toEqual(before)
  expect(readdirSync(directory).map((name) => statSync(join(directory, name)).mtimeMs)).toEqual(times)
})

test('one queue of chunks over all files: equal chunks are fetched once and written everywhere', async () => {
  const same = seededBytes(5, 40_000)
  const depot = gameDepot([
    { path: 'a', content: same },
    { path: 'b', content: same },
    { path: 'c/d', content: Buffer.concat([same.subarray(0, 16_384), same]) },
  ])
  const { download, directory, cdn } = await farm(depot)
  await download()
  expect(tree(directory)).toEqual(treeOf(depot))
  const asked = cdn.requests.filter(({ kind }) => kind === 'chunk').map(({ path }) => path)
  expect(asked.length).toBe(new Set(asked).size)
  expect(asked.length).toBe(depot.chunks.size)
})

test('small chunks are requested between large ones, so that no thread waits for the other kind', async () => {
  const small = Array.from({ length: 30 }, (_, at) => ({ path: `a/${at}`, content: seededBytes(at, 2000) }))
  const large = { path: 'z', content: seededBytes(99, 30 * 2 ** 17) }
  const published = makeDepot({ files: [...small, large], chunkSize: 2 ** 17, formats: ['zip'] })
  const { cdn, download, verify } = await farm(published)
  await download()
  const isLarge = cdn.requests
    .filter(({ kind }) => kind === 'chunk')
    .map(({ path }) => (published.chunks.get(path.split('/').at(-1) ?? '')?.packedSize ?? 0) > 2 ** 16)
  const half = isLarge.length / 2
  // Eight requests are pending at once, so the order of neighbours is not certain.
  for (const part of [isLarge.slice(0, half), isLarge.slice(half)])
    expect(Math.abs(part.filter(Boolean).length - half / 2)).toBeLessThan(8)
  expect((await verify()).differences).toEqual([])
})

test('at most DOWNLOAD_CONNECTIONS requests are pending at once', async () => {
  const { download, cdn } = await farm(gameDepot())
  cdn.knobs.fault = () => ({ do: 'delay', milliseconds: 3 })
  await download({ connectionCount: 3 })
  expect(cdn.peak()).toBe(3)
})

test('executable bits and symlinks are set, and repaired', async () => {
  const { download, directory, plan } = await farm(gameDepot())
  await download()
  expect(tree(directory)['Stardew Valley']).toMatch(/ x$/)
  expect(tree(directory)['lib/libSDL2.so']).toBe('-> libSDL2.so.0')
  chmodSync(join(directory, 'Stardew Valley'), 0o644)
  rmSync(join(directory, 'lib/libSDL2.so'))
  symlinkSync('elsewhere', join(directory, 'lib/libSDL2.so'))
  await download()
  expect(plan().modes).toHaveLength(1)
  expect(plan().links).toHaveLength(1)
  expect(tree(directory)['Stardew Valley']).toMatch(/ x$/)
  expect(tree(directory)['lib/libSDL2.so']).toBe('-> libSDL2.so.0')
})

test('files of an earlier run that the new manifest lacks are deleted, other files are not', async () => {
  const { download, directory, publish } = await farm(gameDepot())
  await download()
  writeFileSync(join(directory, 'Content/mine.xnb'), 'a mod')
  mkdirSync(join(directory, 'Saves'))
  writeFileSync(join(directory, 'Saves/farm'), 'a save')
  publish(gameDepot(without('Content/XACT/Sound Bank.xsb'), '7999999999999999999'))
  await download()
  const found = tree(directory)
  expect(found).not.toHaveProperty(['Content/XACT/Sound Bank.xsb'])
  expect(found).toHaveProperty(['Content/mine.xnb'])
  expect(found).toHaveProperty(['Saves/farm'])
})

test('without the list of written files no file is deleted', async () => {
  const { download, directory, publish, plan } = await farm(gameDepot())
  await download()
  for (const text of [undefined, '{"version":1', '{"version":2,"files":{}}']) {
    rmSync(join(directory, '.download-files.json'))
    if (text !== undefined) writeFileSync(join(directory, '.download-files.json'), text)
    publish(gameDepot(without('Content/XACT/Sound Bank.xsb'), '7999999999999999999'))
    await download()
    expect(plan().delete).toEqual([])
    expect(tree(directory)).toHaveProperty(['Content/XACT/Sound Bank.xsb'])
  }
})

test('a list of written files with paths outside GAME_DIR deletes nothing outside', async () => {
  const { download, directory } = await farm(gameDepot())
  await download()
  const outside = newFolder()
  writeFileSync(join(outside, 'precious'), 'x')
  symlinkSync(outside, join(directory, 'door'))
  const list = JSON.parse(readFileSync(join(directory, '.download-files.json'), 'utf8'))
  Object.assign(list.files, {
    [`../${outside.split('/').at(-1)}/precious`]: '',
    'door/precious': '',
    [join(outside, 'precious')]: '',
  })
  writeFileSync(join(directory, '.download-files.json'), JSON.stringify(list))
  await download()
  expect(existsSync(join(outside, 'precious'))).toBe(true)
})

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
  const { download, directory, verify } = await farm(gameDepot())
  await download()
  writeFileSync(join(directory, 'StardewValley'), 'a mod loader')
  const found = await verify()
  expect(found.replaced).toEqual(['StardewValley'])
  expect(found.differences).toEqual([])
})

test('the two Galaxy libraries get their executable-stack flag cleared, and verify accepts exactly that change', async () => {
  const { download, directory, verify, cdn } = await farm(gameDepot())
  await download()
  const library = join(directory, 'libGalaxy64.so')
  const patched = readFileSync(library)
  const original = galaxyLibrary(3)
  expect(patched[124]).toBe(6)
  expect(original[124]).toBe(7)
  expect(patched.subarray(125)).toEqual(original.subarray(125))
  expect((await verify()).differences).toEqual([])

  writeFileSync(
    library,
    Buffer.concat([patched.subarray(0, 200), Buffer.of((patched[200] ?? 0) ^ 1), patched.subarray(201)]),
  )
  expect((await verify()).differences).toEqual([{ path: 'libGalaxy64.so', what: 'different' }])
  writeFileSync(library, original)
  expect((await verify()).differences).toEqual([{ path: 'libGalaxy64.so', what: 'loader fix missing' }])
  const before = cdn.chunkRequests()
  await download()
  expect(readFileSync(library)).toEqual(patched)
  expect(cdn.chunkRequests()).toBe(before)
})

test('verify changes nothing and lists what differs', async () => {
  const { download, directory, verify } = await farm(gameDepot())
  await download({ filter: gameFilter(new Set(['de-DE']), []) })
  rmSync(join(directory, 'Content/Maps/town.xnb'))
  writeFileSync(join(directory, 'Content/Maps/Town.xnb'), 'short')
  chmodSync(join(directory, 'Stardew Valley'), 0o644)
  rmSync(join(directory, 'lib/libSDL2.so'))
  renameSync(join(directory, 'Mods'), join(directory, 'Mods2'))
  const before = tree(directory, true)
  const { differences } = await verify(english)
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
  const { download, directory, verify } = await farm(gameDepot())
  await download({ filter: english })
  expect((await verify(english)).differences).toEqual([])
  const at = join(directory, 'Content/ContentHashes.json')
  writeFileSync(at, readFileSync(at, 'utf8').replace('hash-1', 'hash-2'))
  expect((await verify(english)).differences).toEqual([
    { path: 'Content/ContentHashes.json', what: 'not pruned' },
  ])
  expect((await download({ filter: english })).changed).toBe(1)
  expect((await verify(english)).differences).toEqual([])
})

test('verify compares with the installed version, not with a newer one', async () => {
  const { download, verify, publish } = await farm(gameDepot())
  await download()
  publish(gameDepot(changed('Content/Maps/Town.xnb', seededBytes(50, 200_000)), '7999999999999999999'))
  expect((await verify()).differences).toEqual([])
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

test('missing write permission ends with a message that says so', async () => {
  const cdn = await contentServer(depot)
  const directory = newFolder()
  chmodSync(directory, 0o555)
  const ended = await spawnOf([child, orderFor(cdn.host, directory, { dropsRights: true })])
  chmodSync(directory, 0o755)
  expect(ended.stdout).toMatch(/^permission: .*(is it writable|no permission)/)
  expect(ended.code).not.toBe(0)
})

test('a game file, a partial file or a list without permission to read is replaced', async () => {
  const { download, directory, cdn } = await farm(depot)
  await download()
  rmSync(join(directory, 'f1'))
  writeFileSync(join(directory, partialPath('f1')), 'unreadable')
  const unreadable = ['f0', partialPath('f1'), '.download-files.json', '.download-manifest-413150']
  for (const path of unreadable) chmodSync(join(directory, path), 0)
  if (process.getuid?.() === 0)
    for (const path of ['', ...readdirSync(directory)]) chownSync(join(directory, path), 65534, 65534)
  const order = orderFor(cdn.host, directory, { dropsRights: true })
  expect(await spawnOf([child, order])).toMatchObject({ code: 0 })
  expect(tree(directory)).toEqual(treeOf(depot))
  for (const path of unreadable.filter((name) => existsSync(join(directory, name))))
    expect(statSync(join(directory, path)).mode & 0o444).toBe(0o444)
})

test('the game directory can be a symlink to another mount', async () => {
  const { download, directory: place } = await farm(depot)
  const real = newFolder(inMemory)
  rmSync(place, { recursive: true })
  symlinkSync(real, place)
  await download()
  expect(tree(real)).toEqual(treeOf(depot))
})

test('a clock that goes backwards does not change the result', async () => {
  const { download, directory } = await farm(depot)
  let time = Date.UTC(2026, 0, 1)
  const date = (): Date => {
    time -= 86_400_000
    return new Date(time)
  }
  await download({ date })
  expect(tree(directory)).toEqual(treeOf(depot))
  expect((await download({ date })).changed).toBe(0)
})

test('the list of written files and the marker are replaced atomically', async () => {
  const { download, directory } = await farm(depot)
  await download()
  mkdirSync(join(directory, 'x'))
  expect(JSON.parse(readFileSync(join(directory, '.download-files.json'), 'utf8')).version).toBe(1)
  expect(readdirSync(directory).filter((name) => name === '.download-new')).toEqual([])
})
