/** The set-up in the browser, with processes, a stand-in for Steam, and no terminal. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { defaultKnobs } from '../../platform/knobs.ts'
import { eventually } from '../../wait.ts'
import { serveGame } from '../depot/serve-game.ts'
import { environmentOf, run, serve } from '../process.ts'
import { junimo, makeSetting, marker } from '../setting.ts'

const setting = await makeSetting()
const cdn = await serveGame(setting.platform)
const { platform } = setting
const abigail = platform.book.add({ ...junimo, name: 'abigail', steamId: '76561198000000002' })
afterAll(async () => {
  await setting.close()
  await cdn.close()
})
beforeEach(() => {
  Object.assign(platform.knobs, defaultKnobs())
  platform.content.notOwned.clear()
  cdn.knobs.fault = () => undefined
})

const variables = (more: Record<string, string> = {}) =>
  environmentOf(platform, {
    SESSION_DIR: join(setting.folder(), 'session'),
    GAME_DIR: join(setting.folder(), 'game'),
    ...more,
  })

/** A browser that opens the newest link of a service. */
async function browser(environment: Record<string, string>) {
  let running = await serve(environment)
  const codes = () => [...running.stderr().matchAll(/#setup=([\w-]+)/g)].map(([, code = '']) => code)
  await eventually(() => codes().length > 0)
  const code = codes()[0] ?? ''
  let cookie = ''
  const call = async (path = '', method = 'GET') => {
    const headers = { authorization: `Setup ${code}`, cookie }
    const answer = await fetch(`${running.base}/setup${path}`, { method, headers })
    cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? cookie
    return { status: answer.status, body: await answer.json() }
  }
  return {
    call,
    codes,
    /** Waits for a state. @returns the answer */
    until: (state: string) =>
      eventually(async () => {
        const { status, body } = await call()
        if (status !== 200 || body.state !== state) throw new Error(`${status} ${JSON.stringify(body)}`)
        return body
      }),
    async restart() {
      await running.stop()
      running = await serve(environment)
    },
    base: () => running.base,
    stop: () => running.stop(),
  }
}

async function scan(page: Awaited<ReturnType<typeof browser>>, account = setting.account) {
  expect((await page.call('/sign-in', 'POST')).status).toBe(202)
  const { qr } = await eventually(async () => {
    const { body } = await page.call()
    if (body.qr === undefined) throw new Error(JSON.stringify(body))
    return body
  })
  expect(qr.url).toMatch(/^https:\/\/s\.team\/q\/1\//)
  platform.phone.approve(account)
}

describe('from nothing to an installed game: a sign-in', () => {
  const environment = variables({ PLATFORM_USERNAME: junimo.name })
  let page: Awaited<ReturnType<typeof browser>>
  beforeAll(async () => {
    page = await browser(environment)
  })
  afterAll(() => page?.stop())
  const url = async () => (await page.call()).body.qr?.url
  const shown = () => eventually(async () => (await url()) ?? false)

  test('that cannot reach Steam is failed with steam_offline', async () => {
    expect((await page.call()).body).toEqual({ state: 'sign_in' })
    platform.knobs.unreachable = true
    await page.call('/sign-in', 'POST')
    expect(await page.until('failed')).toMatchObject({ code: 'steam_offline' })
  })

  test('shows each QR code as Steam renews it, and a new sign-in replaces the code', async () => {
    await page.call('/sign-in', 'POST')
    const first = await shown()
    platform.phone.rotate()
    const second = await eventually(async () => {
      const now = await url()
      return now !== first && now !== undefined && now
    })
    await page.call('/sign-in', 'POST')
    await eventually(async () => ![first, second, undefined].includes(await url()))
  })

  test('that the phone denies is failed, and can begin again', async () => {
    platform.phone.deny()
    expect(await page.until('failed')).toMatchObject({ code: 'denied' })
    expect((await page.call('/sign-in', 'POST')).body.state).toBe('waiting')
  })

  test('of another account than PLATFORM_USERNAME names is refused with wrong_account', async () => {
    await shown()
    platform.phone.approve(abigail)
    expect(await page.until('failed')).toMatchObject({ code: 'wrong_account' })
  })

  test('by QR code is followed by the download with its bytes, then 404; logout signs out and logs a link again', async () => {
    cdn.knobs.fault = ({ kind }) => (kind === 'chunk' ? { do: 'delay', milliseconds: 300 } : undefined)
    await scan(page)
    const seen = await eventually(async () => {
      const { body } = await page.call()
      if (body.download === undefined) throw new Error(JSON.stringify(body))
      return body
    })
    expect(seen).toMatchObject({ state: 'downloading', account: junimo.name })
    expect(seen.download).toEqual({
      bytes: expect.any(Number),
      totalBytes: expect.any(Number),
      bytesPerSecond: expect.any(Number),
      secondsLeft: seen.download.secondsLeft,
    })
    cdn.knobs.fault = () => undefined
    await page.until('installed')
    expect((await page.call()).status).toBe(404)
    const sessions = readdirSync(environment.SESSION_DIR ?? '').filter((name) => name.startsWith('session-'))
    expect(sessions).toEqual(['session-junimo.json'])
    expect(existsSync(join(environment.GAME_DIR ?? '', marker))).toBe(true)
    const status = async () => (await (await fetch(`${page.base()}/game/validate-status`)).json()).status
    await eventually(async () => expect(await status()).toBe('completed'))

    const before = page.codes().length
    const { PLATFORM_USERNAME: _, ...anyone } = environment
    expect((await run(['logout'], anyone)).stderr).toContain('Signed out')
    expect(readdirSync(environment.SESSION_DIR ?? '')).toEqual([])
    await eventually(() => page.codes().length > before)
    expect((await run(['logout'], environment)).stderr).toContain('There is no saved session')
  })
})

test('a set-up continues after an account without the game, a full disk, a restart and a failed download, in the same browser; the session of the other account is removed', async () => {
  const full = fileURLToPath(new URL('../depot/full-disk.ts', import.meta.url))
  const environment = variables({ NODE_OPTIONS: `--import=${full}`, ROOM: '15000' })
  const page = await browser(environment)
  onTestFinished(async () => void (await page.stop()))
  const failed = (how: { readonly account: string; readonly code: string }) =>
    eventually(async () => expect((await page.call()).body).toMatchObject({ state: 'failed', ...how }))
  platform.content.notOwned.add(413150)
  await scan(page, abigail)
  expect(await page.until('no_licence')).toMatchObject({ account: 'abigail' })

  platform.content.notOwned.clear()
  await scan(page)
  await failed({ account: junimo.name, code: 'disk_full' })

  delete environment['ROOM']
  const game = platform.content.apps.get(413150)
  platform.content.apps.delete(413150)
  await page.restart()
  expect((await page.call()).status).toBe(200)
  await failed({ account: junimo.name, code: 'steam_offline' })

  if (game !== undefined) platform.content.apps.set(413150, game)
  expect((await page.call('/download', 'POST')).status).toBe(202)
  await page.until('installed')
  const sessions = readdirSync(environment['SESSION_DIR'] ?? '').filter((name) => name.startsWith('session-'))
  expect(sessions).toEqual(['session-junimo.json'])
})
