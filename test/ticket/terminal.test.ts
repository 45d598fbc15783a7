import { statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { spawn } from '@lydell/node-pty'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { defaultKnobs } from '../platform/knobs.ts'
import { eventually } from '../wait.ts'
import { environmentOf, run } from './process.ts'
import { junimo, makeSetting, type Setting } from './setting.ts'

/** A person at a terminal, who types what `npm run ticket -- …` asks for. */

let setting: Setting
beforeAll(async () => {
  setting = await makeSetting()
})
afterAll(() => setting.close())
beforeEach(() => void Object.assign(setting.platform.knobs, defaultKnobs()))

const root = fileURLToPath(new URL('../..', import.meta.url))

function terminal(args: readonly string[], env: Record<string, string>) {
  const pty = spawn('npm', ['run', '-s', 'ticket', '--', ...args], {
    cwd: root,
    env,
    cols: 120,
    rows: 50,
    name: 'xterm',
  })
  let screen = ''
  pty.onData((data) => {
    screen += data
  })
  const exit = new Promise<number>((resolve) => pty.onExit(({ exitCode }) => resolve(exitCode)))
  return {
    screen: () => screen,
    exit,
    type: (text: string) => pty.write(text),
    async sees(text: string) {
      await eventually(() => screen.includes(text))
    },
  }
}

const environment = (more: Record<string, string> = {}) =>
  environmentOf(setting.platform, {
    SESSION_DIR: join(setting.folder(), 'session'),
    GAME_DIR: setting.folder(),
    HOME: setting.folder(),
    ...more,
  })

test('a person types user name, password and code; the password is not shown', async () => {
  setting.platform.knobs.guard = 'device-code'
  const env = environment()
  const { screen, exit, type, sees } = terminal(['login'], env)
  await sees('User name')
  type(`${junimo.name}\r`)
  await sees('Password')
  type(`${junimo.password}\r`)
  await sees('Type the Steam Guard code from the mobile app')
  type('WRONG\r')
  await sees('That code was not right')
  type(`${junimo.code}\r`)
  await sees('Signed in. The session is saved.')
  expect(await exit).toBe(0)
  expect(screen()).not.toContain(junimo.password)
  expect(statSync(join(env.SESSION_DIR ?? '', 'session-junimo.json')).mode & 0o777).toBe(0o600)
  const { stdout } = await run(['ticket'], env)
  expect(stdout).toBe(`${setting.platform.tickets.at(-1)?.toString('base64')}\n`)
})

test('a person approves in the app instead of typing the code', async () => {
  setting.platform.knobs.guard = 'approval-or-code'
  const { exit, type, sees } = terminal(['login'], environment({ PLATFORM_USERNAME: junimo.name }))
  await sees('Password')
  type(`${junimo.password}\r`)
  await sees('Approve the sign-in in the Steam mobile app, or type the Steam Guard code from the mobile app')
  setting.platform.phone.approve(setting.account)
  await sees('Signed in. The session is saved.')
  expect(await exit).toBe(0)
})

test('a person scans the QR code that is drawn in the terminal', async () => {
  const { exit, type, sees } = terminal(['login'], environment())
  await sees('leave empty to sign in with a QR code')
  type('\r')
  await sees('▄▄▄▄▄')
  await sees('https://s.team/q/')
  setting.platform.phone.approve(setting.account)
  await sees('Signed in. The session is saved.')
  expect(await exit).toBe(0)
})

test('Ctrl-C at the password prompt ends with 130', async () => {
  const { exit, type, sees } = terminal(['login'], environment({ PLATFORM_USERNAME: junimo.name }))
  await sees('Password')
  type('half a pass\x03')
  expect(await exit).toBe(130)
})
