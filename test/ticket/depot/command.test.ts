import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { seededBytes } from '../../platform/seeded.ts'
import { eventually } from '../../wait.ts'
import { environmentOf, run, serve, start } from '../process.ts'
import { junimo, makeSetting } from '../setting.ts'
import { tree } from './farm.ts'
import { gameDepot, gameFiles } from './games.ts'
import { serveGame } from './serve-game.ts'

const setting = await makeSetting()
const cdn = await serveGame(setting.platform)
afterAll(async () => {
  await setting.close()
  await cdn.close()
})

function environment(more: Record<string, string> = {}): Record<string, string> {
  return environmentOf(setting.platform, {
    PLATFORM_USERNAME: junimo.name,
    PLATFORM_PASSWORD: junimo.password,
    SESSION_DIR: join(setting.folder(), 'session'),
    GAME_DIR: join(setting.folder(), 'game'),
    ...more,
  })
}

const marker = (directory: string): string => join(directory, '.download-manifest-413150')

test('setup signs in, downloads the filtered game and the SDK, prunes ContentHashes.json and writes the marker last', async () => {
  const variables = environment()
  const directory = variables.GAME_DIR ?? ''
  const setup = await run(['setup'], variables)
  expect(setup.stderr).toContain('Stardew Valley: ')
  expect(setup.code).toBe(0)
  expect(setup.stdout).toBe('')
  const found = tree(directory)
  expect(found).toHaveProperty(['.steam-sdk/linux64/steamclient.so'])
  expect(found).not.toHaveProperty(['Content/XACT/Wave Bank.xwb'])
  const listed = Object.keys(JSON.parse(readFileSync(join(directory, 'Content/ContentHashes.json'), 'utf8')))
  const present = Object.keys(found).flatMap((path) => (/^Content\/(.*\.xnb)$/.exec(path) ?? []).slice(1))
  expect(new Set(listed)).toEqual(new Set(present))
  expect(existsSync(marker(directory))).toBe(true)

  const verified = await run(['verify'], variables)
  expect(verified.stderr).toContain('all right')
  expect(verified.code).toBe(0)

  const requests = cdn.chunkRequests()
  const again = await run(['download', '--json'], variables)
  expect(again.code).toBe(0)
  const events = again.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(events.map(({ event, appId }) => [event, appId])).toEqual([
    ['plan', 1007],
    ['plan', 413150],
    ['done', 1007],
    ['done', 413150],
  ])
  expect(events.slice(2).map(({ changed }) => changed)).toEqual([0, 0])
  expect(again.stderr).toContain('0 changed')
  expect(cdn.chunkRequests()).toBe(requests)

  // A new version updates the tree in place, changes only what differs, and keeps saves and mods.
  mkdirSync(join(directory, 'Mods/Automate'), { recursive: true })
  writeFileSync(join(directory, 'Mods/Automate/manifest.json'), '{}')
  mkdirSync(join(directory, 'Saves'), { recursive: true })
  writeFileSync(join(directory, 'Saves/Farm_1'), 'a farm')
  const files = gameFiles().map((file) =>
    file.path === 'Content/Maps/Town.xnb' ? { ...file, content: seededBytes(99, 210_000) } : file,
  )
  const next = gameDepot(files, '7999999999999999999')
  cdn.serve(next)
  setting.platform.content.apps.set(413150, { name: 'Stardew Valley', depot: next })
  const update = await run(['download', '--json'], variables)
  expect(update.code).toBe(0)
  const done = update.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .at(-1)
  expect(done).toMatchObject({ event: 'done', appId: 413150, changed: 1, repaired: 1 })
  const after = tree(directory)
  expect(after['Saves/Farm_1']).toBeDefined()
  expect(after['Mods/Automate/manifest.json']).toBeDefined()
  expect(readFileSync(join(directory, 'Content/Maps/Town.xnb'))).toEqual(seededBytes(99, 210_000))

  writeFileSync(join(directory, 'Content/Maps/town.xnb'), 'damaged')
  const damaged = await run(['verify'], variables)
  expect(damaged.code).toBe(1)
  expect(damaged.stderr).toContain('different: Content/Maps/town.xnb')
  expect(readFileSync(join(directory, 'Content/Maps/town.xnb'), 'utf8')).toBe('damaged')
})

test('POST /game/validate repairs a damaged file to the installed version, and is not an update', async () => {
  const variables = environment()
  const directory = variables.GAME_DIR ?? ''
  expect((await run(['setup'], variables)).code).toBe(0)
  const file = join(directory, 'Content/Maps/town.xnb')
  const whole = readFileSync(file)
  writeFileSync(file, 'damaged')
  const installed = readFileSync(marker(directory), 'utf8')
  const served = await serve(variables)
  await eventually(async () => (await (await fetch(`${served.base}/health`)).json()).logged_in)
  const checked = await (await fetch(`${served.base}/game/validate`, { method: 'POST' })).json()
  await served.stop()
  expect(checked).toMatchObject({ status: 'completed', target_dir: directory, files_repaired: 1 })
  expect(readFileSync(file)).toEqual(whole)
  const idOf = (text: string) => /"manifestId": (\d+)/.exec(text)?.[1]
  expect(idOf(readFileSync(marker(directory), 'utf8'))).toBe(idOf(installed))
})

test('a failed verify says so, and does not mention a failed download', async () => {
  const variables = environment()
  await run(['login'], variables)
  const verified = await run(['verify'], variables)
  expect(verified.stderr).toContain('Check failed: ')
  expect(verified.stderr).not.toContain('Download failed')
  expect(verified.code).toBe(1)
})

test('serve downloads in the background while the marker is missing, and says so', async () => {
  const variables = environment()
  const served = await serve(variables)
  const status = async (): Promise<string> =>
    String((await (await fetch(`${served.base}/game/validate-status`)).json()).status)
  await eventually(async () => (await status()) === 'completed')
  expect(existsSync(marker(variables.GAME_DIR ?? ''))).toBe(true)
  const { stderr, code } = await served.stop()
  expect(stderr).toContain('Stardew Valley: ')
  expect(code).toBe(0)
})

test('with the marker serve changes no game files without a command', async () => {
  const variables = environment()
  const directory = variables.GAME_DIR ?? ''
  mkdirSync(directory, { recursive: true })
  writeFileSync(marker(directory), '{}')
  const before = cdn.requests.length
  const served = await serve(variables)
  const health = async (): Promise<boolean> => (await (await fetch(`${served.base}/health`)).json()).logged_in
  await eventually(health)
  expect((await (await fetch(`${served.base}/game/validate-status`)).json()).status).toBe('skipped')
  await served.stop()
  expect(cdn.requests.length).toBe(before)
  expect(tree(directory, true)).toHaveProperty(['.download-manifest-413150'])
})

test('Ctrl-C ends a download with exit code 130, and the next download continues it', async () => {
  const variables = environment()
  cdn.knobs.fault = ({ kind }) => (kind === 'chunk' ? { do: 'delay', milliseconds: 50 } : undefined)
  const running = start(['setup'], variables)
  await eventually(() => running.stderr().includes('depot 413153'))
  const { code, stderr } = await running.stop('SIGINT')
  cdn.knobs.fault = () => undefined
  expect(stderr).toContain('Interrupted.')
  expect(code).toBe(130)
  expect(existsSync(marker(variables.GAME_DIR ?? ''))).toBe(false)
  expect((await run(['download'], variables)).code).toBe(0)
  expect(existsSync(marker(variables.GAME_DIR ?? ''))).toBe(true)
})
