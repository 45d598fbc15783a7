import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sessionStore } from '../../ticket/session/session-file.ts'
import { defaultKnobs } from '../platform/knobs.ts'
import { eventually } from '../wait.ts'
import { environmentOf, run, type Served, serve } from './process.ts'
import { sessionWith } from './saved-sessions.ts'
import { junimo, makeSetting, marker } from './setting.ts'

const setting = await makeSetting()
const { platform } = setting
afterAll(() => setting.close())
beforeEach(() => void Object.assign(platform.knobs, defaultKnobs()))

async function startServe(
  more: Record<string, string> = {},
  token: string | null = platform.token(setting.account),
) {
  const SESSION_DIR = join(setting.folder(), 'session')
  if (token) await sessionStore(SESSION_DIR).save(sessionWith(token))
  const environment = environmentOf(platform, { SESSION_DIR, GAME_DIR: setting.gameFolder(), ...more })
  const running = await serve(environment)
  const health = async () => (await fetch(`${running.base}/health`)).json()
  return {
    ...running,
    environment,
    health,
    loggedOn: () => eventually(async () => (await health()).logged_in),
    askTicket: () => fetch(`${running.base}/steam/app-ticket`),
  }
}

const warnings = (text: string) =>
  text.split('\n').filter((line) => line.includes('Without TICKET_KEY')).length

describe('a service with a session', () => {
  let service: Awaited<ReturnType<typeof startServe>>
  beforeAll(async () => {
    service = await startServe()
  })
  afterAll(() => service?.stop())

  test('a ticket request during the start waits for the login', async () => {
    const response = await service.askTicket()
    expect(response.status).toBe(200)
    const { app_ticket } = await response.json()
    expect(app_ticket).toBe(platform.tickets.at(-1)?.toString('base64'))
  })

  test('tickets are kept in memory only', () => {
    const { environment } = service
    expect(readdirSync(environment.SESSION_DIR ?? '')).toEqual(['session-junimo.json'])
    expect(readdirSync(environment.GAME_DIR ?? '')).toEqual([marker])
  })

  test('a command during serve does not end its session', async () => {
    expect((await run(['ticket'], service.environment)).code).toBe(0)
    // Steam sends messages in order: had it ended the session, no lobby could follow.
    const lobby = await fetch(`${service.base}/steam/lobby/create`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"game_server_steam_id":"90071992547409921","protocol_version":"1.6.15"}',
    })
    expect(lobby.status).toBe(200)
    expect(await service.health()).toMatchObject({ logged_in: true })
    expect(service.stderr()).not.toContain('Lost the session')
  })

  test('a port in use is exit 1 with one line that names PORT; a HOST that is not an address of this machine is exit 78', async () => {
    const { base, environment } = service
    const [second, offline] = await Promise.all([
      run(['serve'], { ...environment, HOST: '127.0.0.1', PORT: new URL(base).port }),
      run(['serve'], { ...environment, HOST: '192.0.2.1' }),
    ])
    expect(second).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^cannot start: .*set PORT to.*\n$/),
    })
    expect(offline).toMatchObject({
      code: 78,
      stderr: expect.stringMatching(/^cannot start: HOST is "192.0.2.1".*\n$/),
    })
  })

  test('one Ctrl-C that arrives twice, from the terminal and from npm, ends it with 0; without TICKET_KEY it has warned once', async () => {
    service.child.kill('SIGINT')
    const { code, stdout, stderr } = await service.stop('SIGINT')
    expect({ code, stdout, warnings: warnings(stderr) }).toEqual({ code: 0, stdout: '', warnings: 1 })
  })
})

test('/health answers from the start of the process, also while Steam is down; with TICKET_KEY there is no warning', async () => {
  platform.knobs.unreachable = true
  const { health, askTicket, stop } = await startServe({ TICKET_KEY: 'a-key-of-sixteen-characters' })
  expect(await health()).toMatchObject({ status: 'ok', logged_in: false, token_days_remaining: null })
  expect((await askTicket()).status).toBe(401)
  expect(warnings((await stop()).stderr)).toBe(0)
})

const served: Served[] = []
afterEach(async () => {
  await Promise.all(served.splice(0).map((running) => running.stop()))
})

test('serve never prompts, and continues after a login in another process', async () => {
  platform.knobs.guard = 'device-code'
  const running = await startServe({ PLATFORM_USERNAME: junimo.name }, null)
  served.push(running)
  await eventually(() => running.stderr().includes('A person must sign in'))
  const refused = await running.askTicket()
  expect(refused.status).toBe(503)
  expect(await refused.json()).toMatchObject({ code: 'not_logged_in' })
  const login = await run(['login'], running.environment, `${junimo.password}\n${junimo.code}\n`)
  expect(login.code).toBe(0)
  await running.loggedOn()
})

test('SIGINT during a login ends serve with 0', async () => {
  platform.knobs.logonDelay = 60_000
  const logons = platform.count('ClientLogon')
  const waiting = await startServe()
  await eventually(() => platform.count('ClientLogon') > logons)
  expect(await waiting.stop('SIGINT')).toMatchObject({ code: 0, stdout: '' })
})

test('a SIGTERM during the renewal of the token waits for the new token and saves it, because Steam has revoked the old one', async () => {
  platform.knobs.renewalDelay = 3000
  const token = platform.token(setting.account, 20)
  const running = await startServe({}, token)
  await eventually(() => !platform.book.tokens.has(token))
  expect(await running.stop('SIGTERM')).toMatchObject({ code: 0 })
  const { session } = await sessionStore(running.environment.SESSION_DIR ?? '').load(junimo.name)
  expect(session?.refreshToken).not.toBe(token)
  expect(platform.book.tokens.has(session?.refreshToken ?? '')).toBe(true)
})
