import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { commands } from '../../ticket/commands.ts'
import { routes } from '../../ticket/http/routes.ts'
import { sessionStore } from '../../ticket/session/session-file.ts'
import { environmentOf, run, serve } from './process.ts'
import { junimo, makeSetting, type Setting, until } from './setting.ts'

/** Drives every command and route with marked credentials and looks for them in everything that comes out. */

let setting: Setting
beforeAll(async () => {
  setting = await makeSetting()
})
afterAll(() => setting.close())

const key = 'canary-key-4f0a9d2e77'
const proxyPassword = 'canary-proxy-b81c'

/** Every credential there is: those we set, and those that the platform has given out meanwhile. */
function credentials(): string[] {
  return [junimo.password, junimo.code, key, proxyPassword, ...setting.platform.book.issued]
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

test('no credential is in stdout, stderr, logs, answers or files other than the session file', async () => {
  const SESSION_DIR = join(setting.folder(), 'session')
  const GAME_DIR = setting.gameFolder()
  const HOME = setting.folder()
  const { host } = new URL(setting.platform.proxyUrl)
  const environment = environmentOf(setting.platform, {
    SESSION_DIR,
    GAME_DIR,
    HOME,
    LOG_LEVEL: 'debug',
    PLATFORM_USERNAME: junimo.name,
    TICKET_KEY: key,
    PLATFORM_PROXY: `http://farmer:${proxyPassword}@${host}`,
  })
  const { knobs } = setting.platform
  const answers = `${junimo.password}\nWRONG\n${junimo.code}\n`
  const attempt = async (args: string[], more: Record<string, string> = {}, input = '') => {
    const { stdout, stderr } = await run(args, { ...environment, ...more }, input)
    // What these two are for is to write a credential, or a ticket, to stdout.
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
  // The library tries ten times, a second apart: it does so beside the rest.
  const nowhere = attempt(['ticket'], {
    PLATFORM_PROXY: `http://farmer:${proxyPassword}@127.0.0.1:9`,
    PLATFORM_REFRESH_TOKEN: setting.platform.token(setting.account),
  })
  knobs.ticketResult = 'AccessDenied'
  await attempt(['ticket'])
  knobs.ticketResult = 'OK'

  // A service whose token is renewed on the way, and whose requests all fail once and succeed once.
  await sessionStore(SESSION_DIR).save({
    username: junimo.name,
    refreshToken: setting.platform.token(setting.account, 5),
    guardData: setting.platform.book.issueMachine(setting.account),
  })
  const served = await serve(environment)
  await until(async () => (await (await fetch(`${served.base}/health`)).json()).token_days_remaining === 199)
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
  await until(() => served.stderr().includes('Lost the session'))
  const { stdout, stderr } = await served.stop()
  expectNone('serve stdout', stdout)
  expectNone('serve stderr', stderr)

  await nowhere
  for (const folder of [SESSION_DIR, GAME_DIR, HOME]) {
    for (const entry of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      const file = join(folder, entry)
      expectNone('a file name', entry)
      if (!statSync(file).isFile()) continue
      const text = readFileSync(file, 'latin1')
      if (file !== join(SESSION_DIR, 'session-junimo.json')) expectNone(file, text)
      else expect(text).not.toContain(junimo.password)
    }
  }
})
