import { statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { spawn } from '@lydell/node-pty'
import { afterAll, beforeEach, expect, onTestFailed, test } from 'vitest'
import { sessionStore } from '../../ticket/session/session-file.ts'
import { defaultKnobs } from '../platform/knobs.ts'
import { programs } from '../programs.ts'
import { eventually } from '../wait.ts'
import { environmentOf, run } from './process.ts'
import { sessionWith } from './saved-sessions.ts'
import { junimo, makeSetting } from './setting.ts'

/** A person at a terminal, who answers the prompts. */

const setting = await makeSetting()
afterAll(() => setting.close())
beforeEach(() => void Object.assign(setting.platform.knobs, defaultKnobs()))

const root = fileURLToPath(new URL('../..', import.meta.url))

/** A command of the service in its own terminal, as in a container: no shell could continue it after Ctrl-Z. */
const terminal = (args: readonly string[], env: Record<string, string>) =>
  open(process.execPath, [programs.ticket, ...args], env)

function open(program: string, args: readonly string[], env: Record<string, string>) {
  const pty = spawn(program, [...args], {
    cwd: root,
    env,
    cols: 120,
    rows: 50,
    name: env['TERM'] ?? 'xterm',
  })
  let screen = ''
  pty.onData((data) => {
    screen += data
  })
  const exit = new Promise<number>((resolve) => pty.onExit(({ exitCode }) => resolve(exitCode)))
  onTestFailed(() => void process.stderr.write(`The screen when the test failed:\n${screen}\n`))
  return {
    screen: () => screen,
    exit,
    type: (text: string) => pty.write(text),
    async sees(text: string, times = 1) {
      await eventually(() => screen.split(text).length > times)
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

test('a person types user name, password and code; the password is not shown, not even after Ctrl-U by Ctrl-Y', async () => {
  setting.platform.knobs.guard = 'device-code'
  const env = environment()
  const { screen, exit, type, sees } = terminal(['login'], env)
  await sees('User name')
  type(`${junimo.name}\r`)
  await sees('Password')
  type(`${junimo.password}\x15${junimo.password}\r`)
  await sees('Type the Steam Guard code from the mobile app')
  type('\x19WRONG\r')
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

const passwordPrompt = 'Password (not shown): '
const codePrompt = 'Type the Steam Guard code from the mobile app: '
const done = 'Signed in. The session is saved.'

test('pasted user name and password: the password is not shown', async () => {
  const { screen, exit, type, sees } = terminal(['login'], environment())
  await sees('User name')
  type(`${junimo.name}\r${junimo.password}\r`)
  await sees(done)
  expect(await exit).toBe(0)
  expect(screen()).toContain(junimo.name)
  expect(screen()).not.toContain(junimo.password)
})

test('a password typed before its prompt is not shown, neither then nor with the prompt; a code is shown with its prompt', async () => {
  setting.platform.knobs.guard = 'device-code'
  const { screen, exit, type, sees } = terminal(['login'], environment())
  await sees('User name')
  type(`${junimo.name}\r${junimo.password}`)
  await sees(passwordPrompt)
  type(`\r${junimo.code}`)
  await sees(`${codePrompt}${junimo.code}`)
  type('\r')
  await sees(done)
  expect(await exit).toBe(0)
  expect(screen()).not.toContain(junimo.password)
})

test('after `npm run ticket` Ctrl-Z at the password returns the terminal to the shell, and fg prompts again without echo', async () => {
  const { screen, exit, type, sees } = open('sh', ['-i'], environment({ PLATFORM_USERNAME: junimo.name }))
  type('npm run -s ticket -- login\r')
  await sees(passwordPrompt)
  type('half\x1a')
  await sees('Stopped')
  type('echo 6 times 7 is $((6 * 7))\r')
  await sees('6 times 7 is 42')
  expect(screen()).toContain('echo 6 times 7 is $((6 * 7))')
  type('fg\r')
  await sees(passwordPrompt, 2)
  type(`\x15${junimo.password}\r`)
  await sees(done)
  type('exit\r')
  expect(await exit).toBe(0)
  expect(screen()).not.toContain('half')
  expect(screen()).not.toContain(junimo.password)
})

test('Ctrl-Z at a shown prompt and fg: the prompt comes again with what was typed', async () => {
  const { exit, type, sees } = open('sh', ['-i'], environment())
  type(`'${process.execPath}' '${programs.ticket}' login\r`)
  await sees('User name')
  type(`${junimo.name.slice(0, 3)}\x1a`)
  await sees('Stopped')
  type('fg\r')
  await sees(`QR code): ${junimo.name.slice(0, 3)}`, 2)
  type(`${junimo.name.slice(3)}\r`)
  await sees(passwordPrompt)
  type(`${junimo.password}\r`)
  await sees(done)
  type('exit\r')
  expect(await exit).toBe(0)
})

test('Ctrl-Z without a shell that could continue the command, as in a container: nothing happens, and the password is not shown; without cursor and colours (TERM=dumb) Backspace works and no escape sequence is written', async () => {
  const { screen, exit, type, sees } = terminal(['login'], environment({ TERM: 'dumb' }))
  await sees('User name')
  type(`\x1a${junimo.name}x\x7f`)
  // It has read Ctrl-Z too.
  await sees(junimo.name)
  type('\r')
  await sees(passwordPrompt)
  type(`${junimo.password}x\x7f\r`)
  await sees(done)
  expect(await exit).toBe(0)
  for (const wrong of [junimo.password, '\x1b']) expect(screen()).not.toContain(wrong)
})

test('in a terminal of type dumb a command draws no progress bar; a failed verify does not mention a download', async () => {
  const env = environment({ TERM: 'dumb' })
  await sessionStore(env['SESSION_DIR'] ?? '').save(sessionWith(setting.platform.token(setting.account)))
  const { screen, exit } = terminal(['verify'], env)
  expect(await exit).toBe(1)
  expect(screen()).toContain('Check failed: ')
  for (const wrong of ['\x1b', '░', 'Download failed']) expect(screen()).not.toContain(wrong)
})

test.each([
  ['with NO_COLOR', { NO_COLOR: '1' }, false],
  ['in a terminal of type dumb', { TERM: 'dumb' }, false],
  ['in any other terminal', {}, true],
])('the log %s: colours %s', async (_, variables, hasColours) => {
  const { screen, exit, type, sees } = terminal(['serve'], environment({ PORT: '0', ...variables }))
  await sees('Listening on port')
  await sees('A person must sign in')
  type('\x03')
  await exit
  expect(screen().includes('\x1b[')).toBe(hasColours)
})
