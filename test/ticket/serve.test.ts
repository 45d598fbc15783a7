import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest'
import { sessionStore } from '../../ticket/session/session-file.ts'
import { defaultKnobs } from '../platform/knobs.ts'
import { eventually } from '../wait.ts'
import { environmentOf, run, type Served, serve } from './process.ts'
import { junimo, makeSetting, marker } from './setting.ts'

const served: Served[] = []
const setting = await makeSetting()
afterAll(() => setting.close())
beforeEach(() => void Object.assign(setting.platform.knobs, defaultKnobs()))
afterEach(async () => {
  await Promise.all(served.splice(0).map((running) => running.stop()))
})

async function startServe(
  more: Record<string, string> = {},
  token: string | null = setting.platform.token(setting.account),
) {
  const SESSION_DIR = join(setting.folder(), 'session')
  if (token)
    await sessionStore(SESSION_DIR).save({ username: junimo.name, refreshToken: token, guardData: undefined })
  const environment = environmentOf(setting.platform, {
    SESSION_DIR,
    GAME_DIR: setting.gameFolder(),
    ...more,
  })
  const running = await serve(environment)
  served.push(running)
  const health = async () => (await fetch(`${running.base}/health`)).json()
  return {
    ...running,
    environment,
    health,
    loggedOn: () => eventually(async () => (await health()).logged_in),
  }
}

test('/health answers from the start of the process, also while Steam is down', async () => {
  setting.platform.knobs.unreachable = true
  const { health } = await startServe()
  expect(await health()).toMatchObject({ status: 'ok', logged_in: false, token_days_remaining: null })
})

test('a ticket request during the start waits for the login', async () => {
  const { base } = await startServe()
  const response = await fetch(`${base}/steam/app-ticket`)
  expect(response.status).toBe(200)
  const { app_ticket } = await response.json()
  expect(app_ticket).toBe(setting.platform.tickets.at(-1)?.toString('base64'))
})

test('without TICKET_KEY there is one warning at the start, with it none', async () => {
  const warnings = (text: string) =>
    text.split('\n').filter((line) => line.includes('Without TICKET_KEY')).length
  const open = await startServe()
  const locked = await startServe({ TICKET_KEY: 'a-key-of-sixteen-characters' })
  await Promise.all([open.loggedOn(), locked.loggedOn()])
  // The log comes through a pipe, later than the answers and in order.
  const isOn = (text: string) => text.includes('Logged on to Steam')
  await eventually(() => isOn(open.stderr()) && isOn(locked.stderr()))
  expect(warnings(open.stderr())).toBe(1)
  expect(warnings(locked.stderr())).toBe(0)
  expect((await fetch(`${locked.base}/steam/app-ticket`)).status).toBe(401)
})

test('tickets are kept in memory only', async () => {
  const { base, environment } = await startServe()
  expect((await fetch(`${base}/steam/app-ticket`)).status).toBe(200)
  expect(readdirSync(environment.SESSION_DIR ?? '')).toEqual(['session-junimo.json'])
  expect(readdirSync(environment.GAME_DIR ?? '')).toEqual([marker])
})

test('serve never prompts, and continues after a login in another process', async () => {
  setting.platform.knobs.guard = 'device-code'
  const { base, environment, loggedOn, stderr } = await startServe({ PLATFORM_USERNAME: junimo.name }, null)
  await eventually(() => stderr().includes('A person must sign in'))
  const refused = await fetch(`${base}/steam/app-ticket`)
  expect(refused.status).toBe(503)
  expect(await refused.json()).toMatchObject({ code: 'not_logged_in' })
  const login = await run(['login'], environment, `${junimo.password}\n${junimo.code}\n`)
  expect(login.code).toBe(0)
  await loggedOn()
})

test.each(['SIGTERM', 'SIGINT'] as const)(
  'serve ended by %s exits with 0, also during a login',
  async (signal) => {
    const running = await startServe()
    await running.loggedOn()
    expect(await running.stop(signal)).toMatchObject({ code: 0, stdout: '' })
    setting.platform.knobs.logonDelay = 60_000
    const logons = setting.platform.count('ClientLogon')
    const waiting = await startServe()
    await eventually(() => setting.platform.count('ClientLogon') > logons)
    expect(await waiting.stop(signal)).toMatchObject({ code: 0, stdout: '' })
  },
)

test.each(['SIGTERM', 'SIGINT'] as const)(
  'a %s during the renewal of the token waits for the new token and saves it, because Steam has revoked the old one',
  async (signal) => {
    setting.platform.knobs.renewalDelay = 3000
    const token = setting.platform.token(setting.account, 20)
    const running = await startServe({}, token)
    await eventually(() => !setting.platform.book.tokens.has(token))
    expect(await running.stop(signal)).toMatchObject({ code: 0 })
    const { session } = await sessionStore(running.environment.SESSION_DIR ?? '').load(junimo.name)
    expect(session?.refreshToken).not.toBe(token)
    expect(setting.platform.book.tokens.has(session?.refreshToken ?? '')).toBe(true)
  },
)

test('serve exits with 0 when one Ctrl-C arrives twice, from the terminal and from npm', async () => {
  const running = await startServe()
  await running.loggedOn()
  running.child.kill('SIGINT')
  expect(await running.stop('SIGINT')).toMatchObject({ code: 0, stdout: '' })
})

test('a command during serve does not end its session', async () => {
  const { base, environment, loggedOn, health, stderr } = await startServe()
  await loggedOn()
  expect((await run(['ticket'], environment)).code).toBe(0)
  // Steam sends messages in order: had it ended the session, no ticket could follow.
  expect((await (await fetch(`${base}/steam/app-ticket`)).json()).source).toBe('fresh')
  expect(await health()).toMatchObject({ logged_in: true })
  expect(stderr()).not.toContain('Lost the session')
})

test('a port in use is exit 1 with one line that names PORT; a HOST that is not an address of this machine is exit 78', async () => {
  const { base, environment } = await startServe()
  const second = await run(['serve'], { ...environment, HOST: '127.0.0.1', PORT: new URL(base).port })
  expect(second).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^cannot start: .*set PORT to.*\n$/),
  })
  const offline = await run(['serve'], { ...environment, HOST: '192.0.2.1' })
  expect(offline).toMatchObject({
    code: 78,
    stderr: expect.stringMatching(/^cannot start: HOST is "192.0.2.1".*\n$/),
  })
})
