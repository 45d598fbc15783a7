/** The commands and the service on one game directory, from the first set-up on: each test continues the one before. */
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { makeDepot } from '../../platform/depots.ts'
import { seededBytes } from '../../platform/seeded.ts'
import { eventually } from '../../wait.ts'
import { environmentOf, run, runProcess, serve, start } from '../process.ts'
import { junimo, makeSetting, marker } from '../setting.ts'
import { filesOf, tree } from './farm.ts'
import { gameDepot, gameFiles } from './games.ts'
import { plainContent, serveGame } from './serve-game.ts'

const setting = await makeSetting()
const cdn = await serveGame(setting.platform)
afterAll(async () => {
  await setting.close()
  await cdn.close()
})
const [SESSION_DIR, directory] = [join(setting.folder(), 'session'), join(setting.folder(), 'game')]
const variables = environmentOf(setting.platform, {
  PLATFORM_USERNAME: junimo.name,
  PLATFORM_PASSWORD: junimo.password,
  SESSION_DIR,
  GAME_DIR: directory,
})
const at = (path: string) => join(directory, path)
const town = at('Content/Maps/town.xnb')

/** Runs `download --json`. @returns its events */
async function downloaded() {
  const { code, stdout, stderr } = await run(['download', '--json'], variables)
  expect(code, stderr).toBe(0)
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

test('Ctrl-C ends a download with exit code 130, without the marker', async () => {
  cdn.knobs.fault = ({ kind }) => (kind === 'chunk' ? { do: 'delay', milliseconds: 50 } : undefined)
  const running = start(['setup'], variables)
  await eventually(() => running.stderr().includes('depot 413153'))
  const { code, stderr } = await running.stop('SIGINT')
  cdn.knobs.fault = () => undefined
  expect(stderr).toContain('Interrupted.')
  expect([code, existsSync(at(marker))]).toEqual([130, false])
})

test('setup continues the download: the filtered game and the SDK, with a pruned ContentHashes.json', async () => {
  plainContent(setting.platform)
  const setup = await run(['setup'], variables)
  expect(setup.stderr).toContain('Stardew Valley: ')
  expect([setup.code, setup.stdout]).toEqual([0, ''])
  const found = tree(directory)
  expect(found).toHaveProperty(['.steam-sdk/linux64/steamclient.so'])
  expect(found).not.toHaveProperty(['Content/XACT/Wave Bank.xwb'])
  const listed = Object.keys(JSON.parse(readFileSync(at('Content/ContentHashes.json'), 'utf8')))
  const present = Object.keys(found).flatMap((path) => (/^Content\/(.*\.xnb)$/.exec(path) ?? []).slice(1))
  expect(new Set(listed)).toEqual(new Set(present))
  expect(existsSync(at(marker))).toBe(true)
})

test('another download fetches no chunk and changes nothing', async () => {
  const requests = cdn.chunkRequests()
  const events = await downloaded()
  expect(events).toMatchObject([
    { event: 'plan', appId: 1007 },
    { event: 'plan', appId: 413150 },
    { event: 'done', appId: 1007, changed: 0 },
    { event: 'done', appId: 413150, changed: 0 },
  ])
  expect(cdn.chunkRequests()).toBe(requests)
})

test('a new version updates the tree in place, changes only what differs, and keeps saves and mods', async () => {
  for (const [folder, name] of [
    ['Mods/Automate', 'manifest.json'],
    ['Saves', 'Farm_1'],
  ] as const) {
    mkdirSync(at(folder), { recursive: true })
    writeFileSync(join(at(folder), name), '{}')
  }
  const files = gameFiles().map((file) =>
    file.path === 'Content/Maps/Town.xnb' ? { ...file, content: seededBytes(99, 210_000) } : file,
  )
  const next = gameDepot(files, '7999999999999999999')
  cdn.serve(next)
  setting.platform.content.apps.set(413150, { name: 'Stardew Valley', depot: next })
  const events = await downloaded()
  expect(events.at(-1)).toMatchObject({ event: 'done', appId: 413150, changed: 1, repaired: 1 })
  expect(tree(directory)).toMatchObject({
    'Saves/Farm_1': expect.any(String),
    'Mods/Automate/manifest.json': expect.any(String),
  })
  expect(readFileSync(at('Content/Maps/Town.xnb'))).toEqual(seededBytes(99, 210_000))
})

test('verify reports that all is right; a damaged file is exit 1, and stays', async () => {
  expect(await run(['verify'], variables)).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('all right'),
  })
  writeFileSync(town, 'damaged')
  expect(await run(['verify'], variables)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('different: Content/Maps/town.xnb'),
  })
  expect(readFileSync(town, 'utf8')).toBe('damaged')
})

test('with the marker serve changes no game files; POST /game/validate repairs the damaged one, and is not an update', async () => {
  const before = cdn.requests.length
  const installed = readFileSync(at(marker), 'utf8')
  const served = await serve(variables)
  const json = async (path: string, init?: RequestInit) => (await fetch(`${served.base}${path}`, init)).json()
  await eventually(async () => (await json('/health')).logged_in)
  expect((await json('/game/validate-status')).status).toBe('skipped')
  expect([cdn.requests.length, readFileSync(town, 'utf8')]).toEqual([before, 'damaged'])
  const checked = await json('/game/validate', { method: 'POST' })
  await served.stop()
  expect(checked).toMatchObject({ status: 'completed', target_dir: directory, files_repaired: 1 })
  expect(readFileSync(town)).toEqual(seededBytes(9, 1000))
  const idOf = (text: string) => /"manifestId": (\d+)/.exec(text)?.[1]
  expect(idOf(readFileSync(at(marker), 'utf8'))).toBe(idOf(installed))
})

test.each([
  ['the game', 'Content/Maps/town.xnb'],
  ['the SDK', '.steam-sdk/linux64/steamclient.so'],
])(
  'a repair of %s that kill -9 ends is finished by the next serve, and is not an update',
  async (_, path) => {
    const sdkMarker = at('.steam-sdk/.download-manifest-1007')
    const versions = () =>
      [at(marker), sdkMarker].map((file) => /"manifestId": (\d+)/.exec(readFileSync(file, 'utf8'))?.[1])
    const installed = versions()
    const good = readFileSync(at(path))
    const sdk = makeDepot({ files: [], depotId: 1006, manifestId: '8000000000000000001' })
    const game = gameDepot(gameFiles(50), '8000000000000000002')
    for (const newer of [sdk, game]) cdn.serve(newer)
    setting.platform.content.apps.set(1007, { name: 'Steamworks SDK Redist', depot: sdk })
    setting.platform.content.apps.set(413150, { name: 'Stardew Valley', depot: game })
    writeFileSync(at(path), 'damaged')
    const chunks = cdn.chunkRequests()
    cdn.knobs.fault = ({ kind }) => (kind === 'chunk' ? { do: 'stall' } : undefined)
    const served = await serve(variables)
    await eventually(async () => (await (await fetch(`${served.base}/health`)).json()).logged_in)
    const ended = fetch(`${served.base}/game/validate`, { method: 'POST' }).catch(() => 'ended')
    await eventually(() => cdn.chunkRequests() > chunks)
    await served.stop('SIGKILL')
    expect(await ended).toBe('ended')
    expect(existsSync(at(marker))).toBe(false)
    cdn.knobs.fault = () => undefined
    const next = await serve(variables)
    await eventually(() => existsSync(at(marker)))
    await next.stop()
    expect(readFileSync(at(path))).toEqual(good)
    expect(versions()).toEqual(installed)
  },
)

test('download copies neither its environment nor the saved session into GAME_DIR, whatever links are there', async () => {
  const session = join(SESSION_DIR, `session-${junimo.name}.json`)
  const saved = readFileSync(session, 'utf8')
  const token = String(/"refreshToken":\s*"([^"]+)"/i.exec(saved)?.[1])
  expect(token.length).toBeGreaterThan(20)
  mkdirSync(at('.steam-sdk/Content'))
  const places = [
    '.steam-sdk/.download-content-hashes.json',
    '.download-content-hashes.json',
    '.download-new',
    '.steam-sdk/.download-new',
    'Content/.download-new',
    'Content/ContentHashes.json',
  ]
  for (const target of ['/proc/self/environ', session]) {
    for (const place of places) {
      rmSync(at(place), { force: true })
      symlinkSync(target, at(place))
    }
    // The marker is removed, so that lists and marker are written again.
    rmSync(at(marker))
    const { code, stdout, stderr } = await (target === session ? run : runProcess)(['download'], variables)
    expect(code).toBe(0)
    for (const text of [stdout, stderr, ...filesOf(directory).map((path) => readFileSync(path, 'latin1'))])
      expect([text.includes(junimo.password), text.includes(token)]).toEqual([false, false])
    expect(readFileSync(session, 'utf8')).toBe(saved)
    expect(statSync(session).mode & 0o777).toBe(0o600)
  }
})
