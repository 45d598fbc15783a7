import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { DownloadSettings } from '../../../ticket/depot/download-settings.ts'
import { type Progress, silent } from '../../../ticket/depot/progress.ts'
import { type RunParts, runDepot } from '../../../ticket/depot/thread/run.ts'
import { openGameDirectory } from '../../../ticket/depot/tree/game-directory.ts'
import { lockDirectory } from '../../../ticket/depot/tree/lock-directory.ts'
import { type DepotPlatform, depotPlatform } from '../../platform/depot-platform.ts'

import { contentServer, GAME, newFolder, tree } from './farm.ts'
import { gameDepot, sdkDepot } from './games.ts'

const SDK = 1007

async function ready(): Promise<{
  platform: DepotPlatform
  directory: string
  cdn: Awaited<ReturnType<typeof contentServer>>
  run(command: 'install' | 'verify', changes?: Partial<RunParts>): ReturnType<typeof runDepot>
}> {
  const [game, sdk] = [gameDepot(), sdkDepot()]
  const cdn = await contentServer(game, sdk)
  const platform = depotPlatform({ [GAME]: game, [SDK]: sdk }, [cdn.host])
  const directory = newFolder()
  const settings: DownloadSettings = {
    appId: GAME,
    gameDir: directory,
    proxy: undefined,
    downloadConnections: 8,
    downloadWorkers: 2,
    forceRedownload: false,
    keepLanguages: [],
    downloadExclude: [],
  }
  const signal = new AbortController().signal
  return {
    platform,
    directory,
    cdn,
    run: (command, changes = {}) =>
      runDepot(command, { settings, platform, progress: silent, signal, ...changes }),
  }
}

test('the download runs in its own thread, and reports its plan, its progress and its outcome', async () => {
  const { run, directory } = await ready()
  const reported: string[] = []
  let bytes = 0
  const progress: Progress = {
    ...silent,
    phase: (phase) => void reported.push(phase),
    advance: (count) => {
      bytes += count
    },
    end: () => void reported.push('end'),
  }
  const { reports, wrong } = await run('install', {
    progress,
    onPlan: ({ text }) => void reported.push(text),
  })
  expect(wrong).toBe(0)
  expect(reports.map(({ json }) => json)).toMatchObject([
    { appId: SDK },
    { appId: GAME, changed: expect.any(Number) },
  ])
  expect(Object.keys(tree(directory))).toContain('Stardew Valley')
  expect(reported.filter((word) => word === 'downloading')).toHaveLength(2)
  expect(reported.find((text) => text.includes(`app ${GAME}`))).toContain('keep')
  expect(reported.at(-1)).toBe('end')
  expect(bytes).toBeGreaterThan(0)
})

test('a refusal by Steam reaches the caller with its kind and text', async () => {
  const { run, platform } = await ready()
  platform.notOwned.add(GAME)
  await expect(run('install')).rejects.toMatchObject({ kind: 'not_owned', message: 'not owned' })
})

test('any other error of Steam keeps its text', async () => {
  const { run, platform } = await ready()
  platform.depotKey = () => Promise.reject(new TypeError('no such thing'))
  await expect(run('install')).rejects.toThrow('no such thing')
})

test('an abort ends the thread with the reason, and the directory is unlocked', async () => {
  const { run, cdn, directory } = await ready()
  const stop = new AbortController()
  const reason = new Error('stop')
  cdn.knobs.fault = (_request, number) => {
    if (number === 10) stop.abort(reason)
    return undefined
  }
  await expect(run('install', { signal: stop.signal })).rejects.toBe(reason)
  lockDirectory(openGameDirectory({ directory, folder: '' }))()
  cdn.knobs.fault = () => undefined
  await run('install')
  expect(readdirSync(directory).filter((name) => name.includes('part-'))).toEqual([])
})

test('an abort before the start starts nothing', async () => {
  const { run, cdn } = await ready()
  const reason = new Error('too late')
  await expect(run('install', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
  expect(cdn.requests).toEqual([])
})
