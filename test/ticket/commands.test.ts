import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { helpText, isCommand } from '../../ticket/command-list.ts'
import { sessionStore } from '../../ticket/session/session-file.ts'
import { listening } from '../listening.ts'
import { defaultKnobs } from '../platform/knobs.ts'
import { eventually } from '../wait.ts'
import { environmentOf, run, runProcess, start } from './process.ts'
import { sessionWith } from './saved-sessions.ts'
import { junimo, makeSetting } from './setting.ts'

const setting = await makeSetting()
afterAll(() => setting.close())
beforeEach(() => void Object.assign(setting.platform.knobs, defaultKnobs()))

function environment(more: Record<string, string> = {}) {
  return environmentOf(setting.platform, {
    PLATFORM_USERNAME: junimo.name,
    SESSION_DIR: join(setting.folder(), 'session'),
    GAME_DIR: setting.folder(),
    ...more,
  })
}

async function signedIn() {
  const variables = environment()
  const refreshToken = setting.platform.token(setting.account)
  await sessionStore(variables.SESSION_DIR ?? '').save(sessionWith(refreshToken))
  return { variables, refreshToken }
}

test('ticket: stdout carries one base64 line and nothing else; CI needs only the exported token and the user name', async () => {
  const { refreshToken } = await signedIn()
  const variables = environment({ PLATFORM_REFRESH_TOKEN: refreshToken })
  const { code, stdout, stderr } = await runProcess(['ticket'], variables)
  expect(stderr).toBe('')
  expect(stdout).toBe(`${setting.platform.tickets.at(-1)?.toString('base64')}\n`)
  expect(code).toBe(0)
})

test('export-token: stdout has only the token, and Steam is not called', async () => {
  const { variables, refreshToken } = await signedIn()
  setting.platform.knobs.unreachable = true
  expect(await run(['export-token'], variables)).toEqual({ code: 0, stdout: `${refreshToken}\n`, stderr: '' })
})

test('renew: Steam gives a new token, which is saved and in no output', async () => {
  const { variables, refreshToken } = await signedIn()
  const { code, stdout, stderr } = await run(['renew'], variables)
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({
    account: 0,
    username: junimo.name,
    renewed: true,
    outcome: 'renewed',
  })
  const { session } = await sessionStore(variables.SESSION_DIR ?? '').load(junimo.name)
  expect(session?.refreshToken).not.toBe(refreshToken)
  expect(stdout + stderr).not.toContain(session?.refreshToken)
})

test('renew: a token that Steam does not renew yet is a success, one from the environment a failure', async () => {
  setting.platform.knobs.renewal = false
  const { variables, refreshToken } = await signedIn()
  const { code, stdout } = await run(['renew'], variables)
  expect([code, JSON.parse(stdout).outcome]).toEqual([0, 'refused'])
  expect(await run(['renew'], environment({ PLATFORM_REFRESH_TOKEN: refreshToken }))).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('PLATFORM_REFRESH_TOKEN'),
  })
})

test('renew: Ctrl-C waits for the new token and saves it', async () => {
  setting.platform.knobs.renewalDelay = 2000
  const { variables, refreshToken } = await signedIn()
  const running = start(['renew'], variables)
  await eventually(() => !setting.platform.book.tokens.has(refreshToken))
  await running.stop('SIGINT')
  const { session } = await sessionStore(variables.SESSION_DIR ?? '').load(junimo.name)
  expect(setting.platform.book.tokens.has(session?.refreshToken ?? '')).toBe(true)
})

test('login works on a pipe and in a terminal', async () => {
  setting.platform.knobs.guard = 'email-code'
  const variables = environment()
  const { code, stdout, stderr } = await run(
    ['login'],
    variables,
    `${junimo.password}\nWRONG\n${junimo.code}\n`,
  )
  expect(stdout).toBe('')
  expect(stderr).toContain('Signed in. The session is saved.')
  expect(code).toBe(0)
  const again = await run(['login'], variables)
  expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining('The saved session works') })
})

test('exit code 2: wrong usage; an option that a command does not have is refused, not ignored', async () => {
  expect(await runProcess(['dance'], environment())).toMatchObject({ code: 2, stdout: '' })
  expect(await run(['ticket', '--dance'], environment())).toMatchObject({ code: 2 })
  expect(await run(['verify', '--qr'], environment())).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('verify has no option --qr. Try --help.'),
  })
  expect(await run(['ticket', 'login'], environment())).toMatchObject({ code: 2 })
})

test('exit code 78: a wrong environment, with one line for each problem', async () => {
  const bad = await runProcess(
    ['serve'],
    environment({ PORT: 'x', TICKET_KEY: 'canary', PLATFORM_USERNAME: '../up', PLATFORM_PASWORD: 'canary' }),
  )
  expect(bad.code).toBe(78)
  const lines = bad.stderr.trimEnd().split('\n')
  expect(lines.map((line) => line.split(':')[0])).toEqual([
    'PLATFORM_USERNAME',
    'PORT',
    'TICKET_KEY',
    'PLATFORM_PASWORD',
  ])
  expect(bad.stderr).toContain('PLATFORM_PASSWORD is meant')
  expect(bad.stderr).not.toContain('canary')
})

test('exit code 3: login needed or refused', async () => {
  expect(await run(['ticket'], environment())).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('Run the login command'),
  })
  expect(await run(['export-token'], environment())).toMatchObject({ code: 3, stdout: '' })
  const refused = await run(['login'], environment(), 'wrong-password\n')
  expect(refused).toMatchObject({ code: 3, stderr: expect.stringContaining('InvalidPassword') })
  // The failed command itself is not the fix.
  expect(refused.stderr).not.toContain('login command')
  expect(await run(['login'], environment())).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('no answer on standard input'),
  })
})

test('exit code 4: app not owned', async () => {
  setting.platform.knobs.ticketResult = 'AccessDenied'
  const { variables } = await signedIn()
  expect(await run(['ticket'], variables)).toMatchObject({
    code: 4,
    stdout: '',
    stderr: expect.stringContaining('does not own'),
  })
})

test('exit code 1: failed', async () => {
  const { variables } = await signedIn()
  setting.platform.knobs.ticketResult = 'RateLimitExceeded'
  expect(await run(['ticket'], variables)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('RateLimitExceeded'),
  })
})

test('exit code 130: interrupted during login or at a prompt, without files left behind', async () => {
  setting.platform.knobs.guard = 'approval-or-code'
  const variables = environment()
  const asking = start(['login'], variables)
  asking.child.stdin.write(`${junimo.password}\n`)
  await eventually(() => asking.stderr().includes('Approve'))
  expect(await asking.stop('SIGINT')).toMatchObject({ code: 130, stdout: '' })
  setting.platform.knobs.logonDelay = 60_000
  const logons = setting.platform.count('ClientLogon')
  const running = start(['ticket'], (await signedIn()).variables)
  await eventually(() => setting.platform.count('ClientLogon') > logons)
  expect(await running.stop()).toMatchObject({ code: 130, stdout: '' })
  expect(existsSync(variables.SESSION_DIR ?? '') ? readdirSync(variables.SESSION_DIR ?? '') : []).toEqual([])
})

test('a folder in which no session can be saved is reported before the password prompt', async () => {
  const blocked = join(setting.folder(), 'file')
  writeFileSync(blocked, '')
  const { code, stderr } = await run(
    ['login'],
    environment({ SESSION_DIR: join(blocked, 'session') }),
    `${junimo.password}\n`,
  )
  expect(code).toBe(1)
  expect(stderr).toContain('cannot be written')
  expect(stderr).not.toContain('Password')
})

test('--help and --version on all commands', async () => {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  const help = await run(['--help'], environment())
  const names = [...help.stdout.matchAll(/^ {2}([a-z-]+) {2,}/gm)]
    .map(([, name]) => name ?? '')
    .filter((name) => !name.startsWith('-'))
  expect(names).toEqual([
    'setup',
    'login',
    'logout',
    'download',
    'verify',
    'ticket',
    'export-token',
    'renew',
    'serve',
    'healthcheck',
  ])
  // They need no file, no platform and no valid configuration.
  const broken = environment({ PORT: 'x' })
  expect(await run(['renew', '--help'], broken)).toEqual({ code: 0, stdout: helpText('renew'), stderr: '' })
  for (const name of names) expect(isCommand(name) && helpText(name)).toContain(`Usage: ticket ${name}`)
  expect(await runProcess(['--version'], broken)).toMatchObject({ code: 0, stdout: `${version}\n` })
})

test('healthcheck: 0 when the service answers, 1 when it does not', async () => {
  let status = 200
  const server = createServer((_request, response) => void response.writeHead(status).end())
  const port = String(await listening(server))
  expect(await run(['healthcheck'], environment({ PORT: port }))).toMatchObject({ code: 0, stdout: '' })
  status = 503
  expect(await run(['healthcheck'], environment({ PORT: port }))).toMatchObject({ code: 1 })
  await new Promise((resolve) => server.close(resolve))
  expect(await run(['healthcheck'], environment({ PORT: port }))).toMatchObject({ code: 1 })
})
