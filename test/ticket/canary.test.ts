import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { commands } from '../../ticket/command-list.ts'
import { routes } from '../../ticket/http/routes/all-routes.ts'
import { sessionStore } from '../../ticket/session/session-file.ts'
import { defaultKnobs } from '../platform/knobs.ts'
import { eventually } from '../wait.ts'
import { plainContent, serveGame } from './depot/serve-game.ts'
import { environmentOf, run, serve, start } from './process.ts'
import { junimo, makeSetting } from './setting.ts'

/** Runs every command and route with marked credentials and looks for them in all output. */

const setting = await makeSetting()
const cdn = await serveGame(setting.platform)
cdn.knobs.token = setting.platform.content.token
plainContent(setting.platform)
afterAll(async () => {
  await setting.close()
  await cdn.close()
})
beforeEach(() => void Object.assign(setting.platform.knobs, defaultKnobs()))

const key = 'canary-key-4f0a9d2e77'
const proxyPassword = 'canary-proxy-b81c'

/** Every credential: those of the test, and those that Steam has issued since. */
function credentials(): string[] {
  const { book, content } = setting.platform
  const contentToken = content.token.replace(/^\?token=/, '')
  return [junimo.password, junimo.code, key, proxyPassword, contentToken, ...book.issued]
}

function expectNone(what: string, text: string): void {
  for (const credential of credentials()) {
    for (const form of [
      credential,
      encodeURIComponent(credential),
      Buffer.from(credential).toString('base64'),
    ]) {
      expect(text.includes(form), `${what} holds a credential: ${text.slice(0, 400)}`).toBe(false)
    }
  }
}

/** An environment with every credential in it, debug log included. */
function marked(GAME_DIR: string) {
  const { host } = new URL(setting.platform.proxyUrl)
  const SESSION_DIR = join(setting.folder(), 'session')
  const HOME = setting.folder()
  const folders = [SESSION_DIR, GAME_DIR, HOME]
  const environment = environmentOf(setting.platform, {
    SESSION_DIR,
    GAME_DIR,
    HOME,
    LOG_LEVEL: 'debug',
    PLATFORM_USERNAME: junimo.name,
    TICKET_KEY: key,
    PLATFORM_PROXY: `http://farmer:${proxyPassword}@${host}`,
  })
  return { environment, SESSION_DIR, folders }
}

function expectNoneInFiles(folders: readonly string[], sessionFile: string): void {
  for (const folder of folders) {
    for (const entry of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      const file = join(folder, entry)
      expectNone('a file name', entry)
      if (!lstatSync(file).isFile()) continue
      const text = readFileSync(file, 'latin1')
      if (file !== sessionFile) expectNone(file, text)
      else expect(text).not.toContain(junimo.password)
    }
  }
}

test('no credential is in stdout, stderr, logs, answers or files other than the session file', async () => {
  const { environment, SESSION_DIR, folders } = marked(setting.gameFolder())
  const { knobs } = setting.platform
  const answers = `${junimo.password}\nWRONG\n${junimo.code}\n`
  const attempt = async (args: string[], more: Record<string, string> = {}, input = '') => {
    const { stdout, stderr } = await run(args, { ...environment, ...more }, input)
    // The purpose of these two is to write a credential, or a ticket, to stdout.
    if (args[0] !== 'export-token') expectNone(`${args} stdout`, stdout)
    expectNone(`${args} stderr`, stderr)
  }

  // Failures first, while there is no session.
  knobs.guard = 'email-code'
  await attempt(['login'], {}, `${junimo.password}-wrong\n`)
  await attempt(['login'], { PLATFORM_REFRESH_TOKEN: setting.platform.token(setting.account, -1) }, answers)
  for (const name of Object.keys(commands)) {
    if (name === 'serve' || name === 'download' || name === 'setup') continue
    await attempt([name], { PLATFORM_PASSWORD: junimo.password })
  }
  // The library tries ten times, a second apart: it does so in parallel.
  const nowhere = attempt(['ticket'], {
    PLATFORM_PROXY: `http://farmer:${proxyPassword}@127.0.0.1:9`,
    PLATFORM_REFRESH_TOKEN: setting.platform.token(setting.account),
  })
  knobs.ticketResult = 'AccessDenied'
  await attempt(['ticket'])
  knobs.ticketResult = 'OK'

  // A service whose token is renewed during the test, and whose requests all fail once and succeed once.
  await sessionStore(SESSION_DIR).save({
    username: junimo.name,
    refreshToken: setting.platform.token(setting.account, 5),
    guardData: setting.platform.book.issueMachine(setting.account),
  })
  const served = await serve(environment)
  await eventually(
    async () => (await (await fetch(`${served.base}/health`)).json()).token_days_remaining === 199,
  )
  const bodies = [
    '{"game_server_steam_id":1,"protocol_version":"1"}',
    '{"lobby_id":1,"metadata":{},"privacy":"x"}',
    '{',
  ]
  for (const authorization of [`Bearer ${key}`, `Bearer ${key}-wrong`]) {
    for (const { method, paths } of routes) {
      for (const path of paths.flatMap((plain) => [plain, `/${key}${plain}`])) {
        for (const body of method === 'POST' ? bodies : [null]) {
          const headers = { authorization, 'content-type': 'application/json' }
          const response = await fetch(`${served.base}${path}`, { method, headers, body })
          expectNone(path, `${JSON.stringify([...response.headers])}${await response.text()}`)
        }
      }
    }
  }
  setting.platform.logOffAll('AccessDenied')
  await eventually(() => served.stderr().includes('Lost the session'))
  const { stdout, stderr } = await served.stop()
  expectNone('serve stdout', stdout)
  expectNone('serve stderr', stderr)

  await nowhere
  expectNoneInFiles(folders, join(SESSION_DIR, 'session-junimo.json'))
})

test('setup and download write no credential and no token of the content servers, whichever step fails', {
  timeout: 240_000,
}, async () => {
  const GAME_DIR = setting.folder()
  const { environment, SESSION_DIR, folders } = marked(GAME_DIR)
  const attempt = async (command: string, code: number, more: Record<string, string> = {}) => {
    const ended = await run([command, '--json'], { ...environment, ...more }, `${junimo.password}\n`)
    expectNone(`${command} stdout`, ended.stdout)
    expectNone(`${command} stderr`, ended.stderr)
    expect(ended.code, ended.stderr).toBe(code)
  }
  const { content } = setting.platform
  content.notOwned.add(413150)
  await attempt('setup', 4)
  // The service's answer says how its own download fails.
  const served = await serve(environment)
  const headers = { authorization: `Bearer ${key}` }
  const status = async () => (await fetch(`${served.base}/game/validate-status`, { headers })).text()
  await eventually(async () => (await status()).includes('"status":"failed"'))
  expectNone('/game/validate-status', await status())
  expectNone('serve stderr', (await served.stop()).stderr)
  content.notOwned.clear()

  // The download retries a server that refuses the token for minutes: this one is interrupted first.
  cdn.knobs.token = '?token=another'
  const refused = cdn.requests.length + 3
  const running = start(['download', '--json'], environment)
  await eventually(() => cdn.requests.length >= refused)
  const interrupted = await running.stop('SIGINT')
  expectNone('download stdout', interrupted.stdout)
  expectNone('download stderr', interrupted.stderr)
  expect(interrupted.code).toBe(130)
  cdn.knobs.token = content.token

  await attempt('setup', 0)
  await attempt('verify', 0)
  expectNoneInFiles(folders, join(SESSION_DIR, 'session-junimo.json'))
})
