import { chmodSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { silent } from '../../../ticket/depot/progress.ts'
import type { StandInDepot } from '../../platform/depots.ts'
import { seededBytes } from '../../platform/seeded.ts'
import { farm } from './farm.ts'
import { gameDepot, gameFiles } from './games.ts'

const newVersion = '7999999999999999999'
const versionWith = (path: string, content: Buffer): StandInDepot =>
  gameDepot(
    gameFiles().map((file) => (file.path === path ? { ...file, content } : file)),
    newVersion,
  )
const otherLauncher = versionWith('StardewValley', Buffer.from('launcher 2'))
const otherMap = versionWith('Content/Maps/Town.xnb', seededBytes(50, 200_000))

/** A game without the list of written files, as the existing sidecar leaves it: only the marker names its version. */
async function takenOver() {
  const place = await farm(gameDepot())
  await place.download()
  rmSync(join(place.directory, '.download-files.json'))
  const launcher = join(place.directory, 'StardewValley')
  return { ...place, launcher, text: () => readFileSync(launcher, 'utf8') }
}

test('without the list of written files the launcher is written if it changed since the version of the marker', async () => {
  const { download, publish, text } = await takenOver()
  publish(otherLauncher)
  await download()
  expect(text()).toBe('launcher 2')
})

test('without the list of written files the launcher of a mod loader stays when its version has not changed', async () => {
  const { download, publish, text, launcher, plan } = await takenOver()
  writeFileSync(launcher, 'a mod loader')
  publish(otherMap)
  await download()
  expect(text()).toBe('a mod loader')
  expect(plan().replaced).toEqual(['StardewValley'])
  rmSync(launcher)
  symlinkSync('StardewModdingAPI', launcher)
  expect((await download()).changed).toBe(0)
  expect(plan().replaced).toEqual(['StardewValley'])
})

test('when Steam does not return the version of the marker the launcher stays with a warning, and FORCE_REDOWNLOAD=1 writes it', async () => {
  const { download, publish, text, launcher, cdn } = await takenOver()
  writeFileSync(launcher, 'a mod loader')
  publish(otherLauncher)
  cdn.knobs.fault = ({ path }) =>
    path.includes(`/manifest/${gameDepot().manifestId}/`) ? { do: 'status', status: 404 } : undefined
  const reported: string[] = []
  const retries = {
    firstDelay: 5,
    maxDelay: 20,
    idleTimeout: 10_000,
    maxRequestTime: 10_000,
    reportAfter: 10_000,
    giveUpAfter: 50,
  }
  await download({ retries, progress: { ...silent, say: (line) => void reported.push(line) } })
  expect(text()).toBe('a mod loader')
  expect(reported.join('\n')).toMatch(
    /The manifest of the installed version 7123456789012345678 could not be read/,
  )
  await download({ force: true })
  expect(text()).toBe('launcher 2')
})

test('an interrupted update still knows which launcher is installed', async () => {
  const { download, publish, text, cdn } = await takenOver()
  publish(otherLauncher)
  const stop = new AbortController()
  cdn.knobs.fault = ({ kind }) => {
    if (kind === 'chunk') stop.abort(new Error('stop'))
    return { do: 'delay', milliseconds: 1 }
  }
  await expect(download({ signal: stop.signal })).rejects.toThrow('stop')
  cdn.knobs.fault = () => undefined
  await download()
  expect(text()).toBe('launcher 2')
})

test('a missing executable bit, also of the launcher, is reported by verify and set by download', async () => {
  const { download, check, directory } = await farm(gameDepot())
  await download()
  chmodSync(join(directory, 'StardewValley'), 0o744)
  chmodSync(join(directory, 'Stardew Valley'), 0o644)
  expect((await check()).differences).toEqual([
    { path: 'StardewValley', what: 'not executable' },
    { path: 'Stardew Valley', what: 'not executable' },
  ])
  expect((await download()).changed).toBe(2)
  for (const path of ['StardewValley', 'Stardew Valley'])
    expect(statSync(join(directory, path)).mode & 0o777).toBe(0o755)
  expect((await check()).differences).toEqual([])
})

test('a marker without a valid version is not requested, and does not reach the path of a request', async () => {
  const { download, publish, text, directory, launcher, cdn, check } = await takenOver()
  const marker = join(directory, '.download-manifest-413150')
  writeFileSync(marker, '{"appId":413150,"manifestId":"1/5/0?x=../../evil"}')
  writeFileSync(launcher, 'a mod loader')
  expect((await check()).unfinished).toBe(true)
  publish(otherLauncher)
  await download()
  expect(text()).toBe('a mod loader')
  expect(cdn.requests.filter(({ path }) => path.includes('evil'))).toEqual([])
})
