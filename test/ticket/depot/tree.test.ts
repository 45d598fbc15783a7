import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { installGame, verifyGame } from '../../../ticket/depot/install/game.ts'
import { gameFilter } from '../../../ticket/depot/plan/filter.ts'
import { depotPlatform } from '../../platform/depot-platform.ts'
import type { FileSpec } from '../../platform/depots.ts'
import { seededBytes } from '../../platform/seeded.ts'
import { contentServer, contextOf, farm, GAME, newFolder, tree, treeOf } from './farm.ts'
import { gameDepot, gameFiles, sdkDepot } from './games.ts'

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
