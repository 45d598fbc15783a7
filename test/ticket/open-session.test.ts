/** The order of the ways to sign in, the message of each, and the prompts. */

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { Failure, LogonError, type LogonErrorKind } from '../../ticket/errors.ts'
import { loginFailure, type OpenOptions, openSession } from '../../ticket/session/open-session.ts'
import { type SessionStore, sessionStore } from '../../ticket/session/session-file.ts'
import { makeToken } from '../platform/accounts.ts'
import { sessionWith } from './saved-sessions.ts'
import { junimo, makeSetting } from './setting.ts'

const setting = await makeSetting()
afterAll(() => setting.close())
beforeEach(() => {
  setting.lines.length = 0
})

const useless = makeToken({ sub: '7', aud: ['web'], exp: 2 ** 31, iat: 0 })
const uselessReason = 'the token cannot be used: it is for a website or phone, not for the client'
const said = () => setting.lines.map((line) => JSON.parse(line)).map(({ level, msg }) => [level, msg])

interface Given extends OpenOptions {
  readonly environment?: Record<string, string>
  readonly store?: Partial<SessionStore>
  /** Answers of a person; no prompts when omitted. */
  readonly answers?: readonly string[]
}

async function open({ environment = {}, store = {}, answers, ...options }: Given) {
  const config = setting.config(environment)
  const asked: (readonly [string, { hidden?: boolean; signal?: AbortSignal } | undefined])[] = []
  const left = [...(answers ?? [])]
  const prompter = answers && {
    say: () => undefined,
    async ask(question: string, given?: { hidden?: boolean; signal?: AbortSignal }) {
      asked.push([question, given])
      return left.shift() ?? ''
    },
  }
  const context = { ...setting.context(config), prompter }
  const tried: string[] = []
  const kept = { ...sessionStore(config.sessionDir), ...store }
  const session = await openSession(
    { ...context, store: kept },
    { ...options, onToken: (token) => void tried.push(token) },
  )
  await session.close()
  return { session, tried, asked, signal: context.signal, kept }
}

const inMemory = { PLATFORM_USERNAME: junimo.name }
const withPassword = { ...inMemory, PLATFORM_PASSWORD: junimo.password }

test('a session that could not be saved is tried before the saved one, and is still unsaved', async () => {
  const unsaved = sessionWith(setting.platform.token(setting.account))
  const { session, tried } = await open({
    environment: inMemory,
    unsaved,
    store: { load: () => Promise.reject(new Error('not asked')) },
  })
  expect(tried).toEqual([unsaved.refreshToken])
  expect(session).toMatchObject({ source: 'saved', stored: unsaved, refreshToken: unsaved.refreshToken })
  expect(session.saveError).toEqual(new Error('it is still unsaved'))
  expect(said()).toEqual([])
})

test('each refused way is a warning with its reason, and the next is tried', async () => {
  const good = setting.platform.token(setting.account)
  const { session, tried } = await open({
    environment: { ...inMemory, PLATFORM_REFRESH_TOKEN: useless },
    unsaved: sessionWith(useless),
    store: { load: async () => ({ session: sessionWith(good), problem: undefined }) },
  })
  expect(tried).toEqual([useless, useless, good])
  expect(session).toMatchObject({ source: 'saved', saveError: undefined })
  expect(said()).toEqual([
    ['warn', `Cannot sign in with the token from the environment: ${uselessReason}`],
    ['warn', `Cannot sign in with the session in memory: ${uselessReason}`],
  ])
})

test('if every way is refused and no password is set, a person is needed, with all reasons', async () => {
  const opened = open({
    environment: { ...inMemory, PLATFORM_REFRESH_TOKEN: useless },
    store: { load: async () => ({ session: undefined, problem: 'it is damaged', missing: false }) },
  })
  await expect(opened).rejects.toMatchObject({
    kind: 'person_needed',
    message: `the token from the environment: ${uselessReason}; the saved session: it is damaged`,
  })
  expect(said()).toContainEqual(['warn', 'Cannot sign in with the saved session: it is damaged'])
})

test('a missing saved session is a reason, but not a warning', async () => {
  await expect(open({})).rejects.toMatchObject({
    kind: 'person_needed',
    message: 'the saved session: no saved session',
  })
  expect(said()).toEqual([])
  await expect(open({ again: true })).rejects.toMatchObject({ message: 'no way to sign in' })
})

test('a session imported from the existing sidecar is reported', async () => {
  const folder = setting.folder()
  mkdirSync(join(folder, junimo.name))
  const refreshToken = setting.platform.token(setting.account)
  writeFileSync(
    join(folder, junimo.name, 'session.json'),
    JSON.stringify({ username: junimo.name, refreshToken }),
  )
  const { session } = await open({ environment: { ...inMemory, SESSION_DIR: folder } })
  expect(session).toMatchObject({ source: 'saved', refreshToken, saveError: undefined })
  expect(said()).toEqual([['info', 'Took over the session of the existing sidecar']])
})

test('a requested new sign-in does not use a valid token', async () => {
  const good = setting.platform.token(setting.account)
  const { session, tried } = await open({
    environment: { ...withPassword, PLATFORM_REFRESH_TOKEN: good },
    unsaved: sessionWith(good),
    again: true,
  })
  expect(session.source).toBe('password')
  expect(tried).toEqual([session.refreshToken])
  expect(tried).not.toContain(good)
})

test('a new session that cannot be saved is used, with the error', async () => {
  const full = new Error('ENOSPC')
  const { session } = await open({
    environment: withPassword,
    store: { save: () => Promise.reject(full) },
  })
  expect(session).toMatchObject({ source: 'password', saveError: full })
})

test('an unreadable session folder has no special exit code', async () => {
  const { session } = await open({
    environment: withPassword,
    again: true,
    store: { load: () => Promise.reject(new Error('EIO')) },
  })
  expect(session.source).toBe('password')
})

test('user name and password are prompted for, the password hidden, until the command is interrupted', async () => {
  const { asked, signal, session } = await open({ answers: [` ${junimo.name} `, junimo.password] })
  expect(asked).toEqual([
    ['User name (leave empty to sign in with a QR code): ', { signal }],
    ['Password (not shown): ', { hidden: true, signal }],
  ])
  expect(session.stored?.username).toBe(junimo.name)
})

test('an empty password needs a person', async () => {
  await expect(open({ environment: inMemory, answers: [''] })).rejects.toMatchObject({
    kind: 'person_needed',
  })
})

test('a typed name that is not an account name is wrong usage', async () => {
  await expect(open({ answers: ['../x', 'y'] })).rejects.toEqual(
    new Failure('usage', 'That is not an account name.'),
  )
})

test.each<[LogonErrorKind, boolean, string, string]>([
  ['rejected', false, 'login_needed', 'Not signed in: why. Run the login command.'],
  ['person_needed', false, 'login_needed', 'Not signed in: why. Run the login command.'],
  ['rejected', true, 'login_needed', 'Not signed in: why.'],
  ['person_needed', true, 'login_needed', 'Not signed in: why.'],
  ['unreachable', false, 'failed', 'Not signed in: why.'],
  ['rate_limited', true, 'failed', 'Not signed in: why.'],
])('a logon that is %s ends a command (which can ask: %s) with %s: %s', (kind, asked, failure, message) => {
  const error = new LogonError(kind, 'why')
  expect(loginFailure(error, asked)).toMatchObject({ name: 'Failure', kind: failure, message, cause: error })
})

test('any other error ends a command unchanged', () => {
  const error = new Error('EIO')
  expect(loginFailure(error, false)).toBe(error)
})
