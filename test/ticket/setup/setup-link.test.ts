/** The one-time code of the set-up in the browser: who may use it, and for how long. */

import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { initialState } from '../../../ticket/platform-port.ts'
import { makeSecrets } from '../../../ticket/secrets.ts'
import { sessionStore } from '../../../ticket/session/session-file.ts'
import { openSetup } from '../../../ticket/setup/open-setup.ts'
import { newFolder } from '../../new-folder.ts'
import { eventually } from '../../wait.ts'
import { fakePlatform, type StillClock, stillClock } from '../fake-platform.ts'
import { httpSetting } from '../http-setting.ts'
import { keptLog } from '../kept-log.ts'
import { configOf, marker } from '../setting.ts'

interface Given {
  readonly folder?: string
  readonly clock?: StillClock
  readonly environment?: Record<string, string>
  readonly key?: string
}

/** The HTTP side of a ticket service without a session, whose log the test reads. */
async function unsigned({ folder = newFolder(), clock = stillClock(), environment = {}, key }: Given = {}) {
  const platform = fakePlatform()
  platform.set({ ...initialState, phase: 'login_needed', reason: 'no saved session' })
  const config = configOf({
    SESSION_DIR: join(folder, 'session'),
    GAME_DIR: join(folder, 'game'),
    ...environment,
  })
  mkdirSync(config.gameDir, { recursive: true })
  const log = keptLog()
  const store = sessionStore(config.sessionDir)
  const secrets = makeSecrets()
  const setup = openSetup({ config, platform, store, clock, randomBytes, log, secrets })
  const http = httpSetting(platform, key, setup)
  const links = () => log.lines.flatMap(([, line]) => /\S+#setup=\S+/.exec(line)?.[0] ?? [])
  const codes = () => links().map((link) => link.split('#setup=')[1] ?? '')
  const ask = (code?: string, cookie?: string, path = '/setup') =>
    http.call(path, {
      method: path === '/setup' ? 'GET' : 'POST',
      headers: {
        ...(code !== undefined && { authorization: `Setup ${code}` }),
        ...(cookie !== undefined && { cookie }),
      },
    })
  /** Opens the link as a browser does. @returns its cookie */
  const open = async (code: string) => {
    const answer = await ask(code)
    expect(answer.status).toBe(200)
    return (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
  }
  const save = (username = 'junimo') => store.save({ username, refreshToken: 'a.b.c', guardData: undefined })
  const install = () => writeFileSync(join(config.gameDir, marker), '{}')
  await eventually(async () => links().length > 0 || (await ask()).status === 404)
  return {
    platform,
    config,
    clock,
    folder,
    store,
    http,
    lines: log.lines,
    links,
    codes,
    secrets,
    ask,
    open,
    save,
    install,
  }
}

const wrong = (n: number) => Buffer.alloc(32, n).toString('base64url')

test('while no session is saved, one link is logged, with a code of 32 random bytes', async () => {
  const { links, codes, ask } = await unsigned()
  await ask()
  await ask()
  expect(links()).toEqual([expect.stringMatching(/^http:\/\/localhost:8080\/#setup=[\w-]{43}$/)])
  expect(Buffer.from(codes()[0] ?? '', 'base64url')).toHaveLength(32)
})

test('the link has the address of PUBLIC_URL', async () => {
  const { links } = await unsigned({ environment: { PUBLIC_URL: 'https://farm.example/gate/' } })
  expect(links()[0]).toMatch(/^https:\/\/farm\.example\/gate\/#setup=/)
})

test('a code ends after one hour, and a new link is logged then', async () => {
  const { clock, codes, ask, open } = await unsigned()
  const [code = ''] = codes()
  const cookie = await open(code)
  await clock.advance(3_599_000)
  expect((await ask(code, cookie)).status).toBe(200)
  await clock.advance(1000)
  expect(codes()).toHaveLength(2)
  const ended = await ask(code, cookie)
  expect(ended.status).toBe(401)
  expect(await ended.json()).toMatchObject({ error: expect.stringContaining('has ended') })
  expect((await ask(codes()[1])).status).toBe(200)
})

test('a wrong code ends no code, however many come: neither before a browser uses the link nor after', async () => {
  const { codes, ask, open } = await unsigned()
  const [code = ''] = codes()
  const flood = async () => {
    for (let n = 0; n < 80; n += 1) await ask(wrong(n))
  }
  await flood()
  const cookie = await open(code)
  await flood()
  expect((await ask(code, cookie)).status).toBe(200)
  expect(codes()).toHaveLength(1)
})

test('wrong codes are limited by the address that the control API passes on, and a right code is never refused for them', async () => {
  const { codes, http } = await unsigned({ key: 'a-key-of-sixteen-characters' })
  const statusOf = async (code: string, passedOn: string, at = '172.18.0.3') =>
    (
      await http.call(
        '/setup',
        { headers: { authorization: `Setup ${code}`, 'x-farmgate-caller': passedOn } },
        at,
      )
    ).status
  const statuses = new Set<number>()
  for (let n = 0; n < 70; n += 1) statuses.add(await statusOf(wrong(n), '203.0.113.7'))
  expect([...statuses]).toEqual([401, 429])
  expect(await statusOf(wrong(1), '203.0.113.8')).toBe(401)
  expect(await statusOf(codes()[0] ?? '', '203.0.113.7')).toBe(200)
  // What a public address without the key passes on does not count.
  for (let n = 0; n < 70; n += 1) await statusOf(wrong(n), `203.0.113.${n}`, '198.51.100.1')
  expect(await statusOf(wrong(1), '203.0.113.99', '198.51.100.1')).toBe(429)
})

test('nothing is kept of a code that has ended: the list of secrets that cleans the log forgets it', async () => {
  const { codes, clock, open, secrets, save, install, platform } = await unsigned()
  const [first = ''] = codes()
  expect(secrets.blank(first)).toBe('[secret]')
  await open(first)
  await clock.advance(3_600_000)
  const second = codes()[1] ?? ''
  expect([secrets.blank(first), secrets.blank(second)]).toEqual([first, '[secret]'])
  await save()
  install()
  platform.set({ phase: 'logged_on' })
  await eventually(() => secrets.blank(second) === second)
})

test('the first browser gets a cookie that scripts and other sites cannot use; another browser with the right code is 403', async () => {
  const { codes, ask } = await unsigned()
  const first = await ask(codes()[0])
  const cookie = first.headers.get('set-cookie') ?? ''
  expect(cookie).toMatch(/^farmgate-setup=[\w-]{43}; Path=\/setup; HttpOnly; SameSite=Strict$/)
  const own = cookie.split(';')[0]
  expect((await ask(codes()[0], `other=1; ${own}`)).status).toBe(200)
  for (const other of [undefined, 'farmgate-setup=', 'farmgate-setup=guess', `farmgate-setup=${wrong(1)}`]) {
    const refused = await ask(codes()[0], other)
    expect(refused.status).toBe(403)
    expect(await refused.json()).toMatchObject({ code: 'other_browser' })
    expect(refused.headers.get('set-cookie')).toBeNull()
  }
  expect((await ask(codes()[0], own)).status).toBe(200)
})

test.each(['/setup', '/setup/sign-in', '/setup/download'])(
  '%s is 404 for everyone once someone is signed in and the game is installed',
  async (path) => {
    const { codes, ask, save, install } = await unsigned()
    await save()
    install()
    for (const code of [undefined, wrong(1), codes()[0]]) {
      const answer = await ask(code, undefined, path)
      expect(answer.status).toBe(404)
      expect(answer.headers.get('set-cookie')).toBeNull()
    }
  },
)

test('the browser that completed the set-up is answered `installed` once; a replay of its requests is 404', async () => {
  const { codes, ask, open, save, install, platform } = await unsigned()
  const [code = ''] = codes()
  const cookie = await open(code)
  await save()
  install()
  platform.set({ phase: 'logged_on' })
  expect((await ask(code)).status).toBe(404)
  expect(await (await ask(code, cookie)).json()).toEqual({ state: 'installed' })
  expect((await ask(code, cookie)).status).toBe(404)
  expect((await ask(code, cookie, '/setup/sign-in')).status).toBe(404)
})

test('after logout a new link is logged, and the old code stays ended', async () => {
  const { codes, ask, save, store, install, platform } = await unsigned()
  const [old = ''] = codes()
  await save()
  install()
  expect((await ask()).status).toBe(404)
  await store.remove('junimo')
  platform.set({ phase: 'login_needed' })
  await eventually(() => codes().length === 2)
  expect((await ask(old)).status).toBe(401)
  expect((await ask(codes()[1])).status).toBe(200)
})

test('signed in but not installed, a restart logs a link again', async () => {
  const first = await unsigned()
  await first.save()
  const second = await unsigned({ folder: first.folder, clock: first.clock })
  expect(second.codes()).toHaveLength(1)
  expect((await second.ask(second.codes()[0])).status).toBe(200)
})

test('signed in and installed, no link is logged at a start', async () => {
  const first = await unsigned()
  await first.save()
  first.install()
  expect((await unsigned({ folder: first.folder })).links()).toEqual([])
})

test('a browser continues with its code after a restart of the service; the code still ends after its hour', async () => {
  const first = await unsigned()
  const [code = ''] = first.codes()
  const cookie = await first.open(code)
  await first.clock.advance(1_800_000)
  const second = await unsigned({ folder: first.folder, clock: first.clock })
  expect((await second.ask(code, cookie)).status).toBe(200)
  expect((await second.ask(code)).status).toBe(403)
  await first.clock.advance(1_800_000)
  expect((await second.ask(code, cookie)).status).toBe(401)
})

test('the new link after a restart takes the place of the code that another browser used before it', async () => {
  const first = await unsigned()
  const [code = ''] = first.codes()
  const cookie = await first.open(code)
  const second = await unsigned({ folder: first.folder, clock: first.clock })
  await second.open(second.codes()[0] ?? '')
  expect((await second.ask(code, cookie)).status).toBe(401)
})

test('neither the code nor the cookie is in a file, a later line of the log, or an answer', async () => {
  const { codes, open, ask, http, lines, config } = await unsigned({ key: 'a-key-of-sixteen-characters' })
  const [code = ''] = codes()
  const cookie = await open(code)
  const [, value = ''] = cookie.split('=')
  const answers = [
    await ask(code, cookie),
    await ask(code),
    await ask(wrong(1)),
    await ask(code, cookie, '/setup/sign-in'),
    await ask(code, cookie, '/setup/download'),
  ]
  const texts = await Promise.all(answers.map((answer) => answer.text()))
  const files = readdirSync(config.sessionDir).map((name) => join(config.sessionDir, name))
  const written = files.map((file) => readFileSync(file, 'utf8')).join('')
  const metrics = await http.meter.text()
  for (const secret of [code, value]) {
    expect([...texts, written, metrics, ...http.lines].join('')).not.toContain(secret)
    expect(lines.filter((line) => JSON.stringify(line).includes(secret)).length).toBeLessThanOrEqual(1)
  }
  for (const file of files) expect(statSync(file).mode & 0o077).toBe(0)
})

test('a session thread that never answers is 504, and no code is lost by it', async () => {
  const { codes, ask, open, platform } = await unsigned()
  const cookie = await open(codes()[0] ?? '')
  platform.silent = true
  expect((await ask(codes()[0], cookie)).status).toBe(504)
  platform.silent = false
  expect((await ask(codes()[0], cookie)).status).toBe(200)
})

test('a download before the sign-in is 409 not_signed_in; the other POSTs are 202 with the state', async () => {
  const { codes, ask, open, save, platform } = await unsigned()
  const code = codes()[0] ?? ''
  const cookie = await open(code)
  const early = await ask(code, cookie, '/setup/download')
  expect(early.status).toBe(409)
  expect(await early.json()).toMatchObject({ code: 'not_signed_in' })
  expect((await ask(code, cookie, '/setup/sign-in')).status).toBe(202)
  await save()
  expect((await ask(code, cookie, '/setup/download')).status).toBe(202)
  expect(platform.calls).toEqual([['sign in'], ['download']])
})

const amount = { bytes: 10, totalBytes: 100, bytesPerSecond: 5, secondsLeft: 18 }
const idle = { signIn: { state: 'idle' }, account: undefined, amount: undefined } as const
const failedDownload = (failure: 'not_owned' | 'disk_full' | 'no_server' | 'storage') => ({
  phase: 'failed' as const,
  detail: 'why',
  failure,
  startedAt: 0,
  finishedAt: 1,
})

test.each([
  ['no one is signed in', {}, { state: 'sign_in' }],
  [
    'a QR code is shown',
    { setup: { ...idle, signIn: { state: 'waiting', url: 'https://s.team/q/1/2', expiresAt: 0 } } },
    { state: 'waiting', qr: { url: 'https://s.team/q/1/2', expiresAt: '1970-01-01T00:00:00.000Z' } },
  ],
  [
    'the sign-in failed',
    { setup: { ...idle, signIn: { state: 'failed', code: 'qr_expired', sentence: 'No one approved it' } } },
    { state: 'failed', code: 'qr_expired', error: 'No one approved it' },
  ],
  [
    'files are downloaded',
    { setup: { ...idle, account: 'junimo', amount }, phase: 'logged_on' },
    { state: 'downloading', account: 'junimo', download: amount },
  ],
  [
    'the account does not own the game',
    { setup: { ...idle, account: 'junimo' }, phase: 'logged_on', download: failedDownload('not_owned') },
    { state: 'no_licence', account: 'junimo' },
  ],
  [
    'the disk is full',
    { setup: idle, phase: 'logged_on', download: failedDownload('disk_full') },
    { state: 'failed', code: 'disk_full', error: 'The download failed: why' },
  ],
  [
    'no content server answers',
    { setup: idle, phase: 'logged_on', download: failedDownload('no_server') },
    { state: 'failed', code: 'steam_offline', error: 'The download failed: why' },
  ],
] as const)('the state when %s', async (_what, given, view) => {
  const { codes, ask, platform } = await unsigned()
  if ('setup' in given) platform.setup = given.setup
  if ('download' in given) platform.download = given.download
  if ('phase' in given) platform.set({ phase: given.phase })
  expect(await (await ask(codes()[0])).json()).toEqual(view)
})

test('with a session that Steam does not let in at the moment, the state says that Steam is unreachable', async () => {
  const { codes, ask, save, platform } = await unsigned()
  await save()
  platform.set({ phase: 'waiting', reason: 'Steam cannot be reached (ECONNREFUSED)' })
  expect(await (await ask(codes()[0])).json()).toMatchObject({ state: 'failed', code: 'steam_offline' })
})
