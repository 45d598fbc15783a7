import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { environmentOf, run } from '../process.ts'
import { junimo, makeSetting } from '../setting.ts'
import { serveGame } from './serve-game.ts'

const setting = await makeSetting()
const cdn = await serveGame(setting.platform)
afterAll(async () => {
  await setting.close()
  await cdn.close()
})

function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => lstatSync(path).isFile())
}

test('download copies neither its environment nor the saved session into GAME_DIR, whatever links are there', async () => {
  const variables = environmentOf(setting.platform, {
    PLATFORM_USERNAME: junimo.name,
    PLATFORM_PASSWORD: junimo.password,
    SESSION_DIR: join(setting.folder(), 'session'),
    GAME_DIR: join(setting.folder(), 'game'),
  })
  const directory = variables.GAME_DIR ?? ''
  expect((await run(['setup'], variables)).code).toBe(0)
  const session = join(variables.SESSION_DIR ?? '', `session-${junimo.name}.json`)
  const saved = readFileSync(session, 'utf8')
  const token = String(/"refreshToken":\s*"([^"]+)"/i.exec(saved)?.[1])
  expect(token.length).toBeGreaterThan(20)
  mkdirSync(join(directory, '.steam-sdk/Content'))
  const lists = ['.steam-sdk/.download-content-hashes.json', '.download-content-hashes.json']
  const others = [
    '.download-new',
    '.steam-sdk/.download-new',
    'Content/.download-new',
    'Content/ContentHashes.json',
  ]
  for (const target of ['/proc/self/environ', session]) {
    for (const place of [...lists, ...others]) {
      rmSync(join(directory, place), { force: true })
      symlinkSync(target, join(directory, place))
    }
    // The marker is removed, so that lists and marker are written again.
    rmSync(join(directory, '.download-manifest-413150'))
    const { code, stdout, stderr } = await run(['download'], variables)
    expect(code).toBe(0)
    for (const text of [stdout, stderr, ...filesOf(directory).map((path) => readFileSync(path, 'latin1'))]) {
      expect(text.includes(junimo.password)).toBe(false)
      expect(text.includes(token)).toBe(false)
    }
    expect(readFileSync(session, 'utf8')).toBe(saved)
    expect(statSync(session).mode & 0o777).toBe(0o600)
  }
})
