/** Signing in with a password, and the prompts of Steam Guard. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Prompter } from '../../lib/terminal/prompter.ts'
import { browserSignIn } from '../../ticket/session/browser-sign-in.ts'
import { openSession } from '../../ticket/session/open-session.ts'
import { defaultKnobs } from '../platform/knobs.ts'
import { eventually } from '../wait.ts'
import { junimo, makeSetting, type Setting } from './setting.ts'

/** @returns the stand-in for Steam of a test file, and the sign-in of its account there */
function signInSetting() {
  let made: Setting
  beforeAll(async () => {
    made = await makeSetting()
  })
  afterAll(() => made.close())
  beforeEach(() => void Object.assign(made.platform.knobs, defaultKnobs()))
  const setting = () => made

  async function signIn(
    prompter: Prompter | undefined,
    environment: Record<string, string> = {},
    again = false,
  ) {
    const config = setting().config({ PLATFORM_USERNAME: junimo.name, ...environment })
    const context = { ...setting().context(config), prompter }
    const session = await openSession(context, { again })
    await session.close()
    return { session, context, config }
  }
  return { setting, signIn }
}

/** A prompt that gives the answers in order, and then never answers. */
function person(...answers: string[]): Prompter & { readonly heard: string[] } {
  const heard: string[] = []
  return {
    heard,
    say: (text) => void heard.push(text),
    ask(question, { signal } = {}) {
      heard.push(question)
      const answer = answers.shift()
      if (answer !== undefined) return Promise.resolve(answer)
      return new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
    },
  }
}
const { setting, signIn } = signInSetting()

test('a password alone signs in when no second factor is required', async () => {
  const { session, context } = await signIn(person(junimo.password))
  expect(session).toMatchObject({ source: 'password', steamId: junimo.steamId, saveError: undefined })
  expect((await context.store.load(junimo.name)).session?.refreshToken).toBe(session.refreshToken)
})

test('an email code goes to the same sign-in, so no second email is sent', async () => {
  setting().platform.knobs.guard = 'email-code'
  const before = setting().platform.count('Authentication.BeginAuthSessionViaCredentials#1')
  const prompter = person(junimo.password, 'WRONG', junimo.code)
  await signIn(prompter)
  expect(prompter.heard[1]).toBe(`Type the Steam Guard code sent to ${junimo.email}: `)
  expect(setting().platform.count('Authentication.BeginAuthSessionViaCredentials#1')).toBe(before + 1)
})

test('guard data is kept so that a later password login needs no second code', async () => {
  setting().platform.knobs.guard = 'email-code'
  const { config, context, session } = await signIn(person(junimo.password, junimo.code))
  setting().platform.book.revoke(session.refreshToken)
  const prompter = person(junimo.password)
  const again = await openSession({ ...context, prompter })
  await again.close()
  expect(prompter.heard).toEqual(['Password (not shown): '])
  const kept = await setting().context(config).store.load(junimo.name)
  expect(kept.session?.guardData).toBeTruthy()
  expect(kept.session?.refreshToken).toBe(again.refreshToken)
})

test('one prompt waits for approval and for a typed code: the code comes first', async () => {
  setting().platform.knobs.guard = 'approval-or-code'
  expect((await signIn(person(junimo.password, junimo.code))).session.source).toBe('password')
})

test('a code that is typed right after the approval does not end the sign-in', async () => {
  Object.assign(setting().platform.knobs, { guard: 'approval-or-code', pollInterval: 1 })
  const answers = [Promise.resolve(junimo.password)]
  const typed = Promise.withResolvers<string>()
  answers.push(typed.promise)
  let asked = 0
  const signedIn = signIn({
    say: () => undefined,
    ask: () => answers[asked++] ?? new Promise<string>(() => undefined),
  })
  await eventually(() => asked === 2 && setting().platform.phone.waiting() > 0)
  const polls = setting().platform.count('Authentication.PollAuthSessionStatus#1')
  await eventually(() => setting().platform.count('Authentication.PollAuthSessionStatus#1') > polls)
  setting().platform.phone.approve(setting().account)
  typed.resolve(junimo.code)
  expect((await signedIn).session.source).toBe('password')
})

test('approval in the app needs no prompt, so serve waits for it too', async () => {
  setting().platform.knobs.guard = 'approval'
  const signedIn = signIn(undefined, { PLATFORM_PASSWORD: junimo.password })
  await eventually(() => setting().platform.phone.approve(setting().account) > 0)
  expect((await signedIn).session.source).toBe('password')
  expect(setting().lines.join()).toContain('Approve the sign-in')
})

test('without a prompt, a required code ends as "login needed"', async () => {
  setting().platform.knobs.guard = 'email-code'
  await expect(signIn(undefined, { PLATFORM_PASSWORD: junimo.password })).rejects.toMatchObject({
    kind: 'person_needed',
    message: 'Steam asks for a Steam Guard code, but there is no terminal to ask at',
  })
})

test('QR sign-in: the account that scans is signed in, and an expired code is replaced with a new one', async () => {
  const prompter = person('')
  const config = setting().config()
  const context = { ...setting().context(config), prompter }
  const signedIn = openSession(context)
  await eventually(() => prompter.heard.length === 3)
  expect(prompter.heard[2]).toContain('▄')
  expect(prompter.heard[2]).toContain('https://s.team/q/1/')
  setting().platform.phone.rotate()
  await eventually(() => prompter.heard.length === 4)
  expect(prompter.heard[3]).toContain('https://s.team/q/1/')
  setting().platform.phone.approve(setting().account)
  const session = await signedIn
  await session.close()
  expect(session.stored?.username).toBe(junimo.name)
})

test('a session from a QR code is found under the configured user name', async () => {
  const prompter = person()
  const config = setting().config({ PLATFORM_USERNAME: 'Junimo' })
  const context = { ...setting().context(config), prompter }
  const signedIn = openSession(context, { qr: true })
  await eventually(() => prompter.heard.length === 2)
  setting().platform.phone.approve(setting().account)
  await (await signedIn).close()
  expect((await context.store.load(config.username)).problem).toBeUndefined()
})

test('a QR code scanned by another account than the named one is refused', async () => {
  const abigail = setting().platform.book.add({ ...junimo, name: 'abigail', steamId: '76561198000000002' })
  const prompter = person()
  const context = { ...setting().context(setting().config({ PLATFORM_USERNAME: junimo.name })), prompter }
  const signedIn = openSession(context, { qr: true })
  await eventually(() => prompter.heard.length === 2)
  setting().platform.phone.approve(abigail)
  await expect(signedIn).rejects.toMatchObject({
    kind: 'rejected',
    message: expect.stringContaining('another account'),
  })
})

test('a QR code that was not approved in time signs no one in, also when it is scanned later', async () => {
  const prompter = person()
  const context = { ...setting().context(setting().config()), prompter, approvalTimeout: 300 }
  await expect(openSession(context, { qr: true })).rejects.toMatchObject({ kind: 'person_needed' })
  setting().platform.phone.approve(setting().account)
  expect((await context.store.load(undefined)).session).toBeUndefined()
})

test('a QR code in a browser that was not approved in time is qr_expired, and the next one can be approved', async () => {
  const saved: string[] = []
  const config = setting().config()
  const onSaved = async (username: string) => void saved.push(username)
  const context = { ...setting().context(config), config, onSaved }
  const late = browserSignIn({ ...context, approvalTimeout: 300 })
  late.begin()
  await eventually(() => late.status().state === 'failed')
  expect(late.status()).toMatchObject({
    code: 'qr_expired',
    sentence: expect.stringContaining('Not signed in'),
  })
  const next = browserSignIn(context)
  next.begin()
  await eventually(() => {
    const now = next.status()
    return now.state === 'waiting' && now.url !== undefined
  })
  setting().platform.phone.approve(setting().account)
  await eventually(() => next.status().state === 'idle')
  expect(saved).toEqual([junimo.name])
  await Promise.all([late.close(), next.close()])
})

test('login order: environment token, session file, password, each failure with a reason in the log', async () => {
  const config = setting().config({
    PLATFORM_USERNAME: junimo.name,
    PLATFORM_PASSWORD: junimo.password,
    PLATFORM_REFRESH_TOKEN: setting().platform.token(setting().account),
  })
  const context = setting().context(config)
  await context.store.save({
    username: junimo.name,
    refreshToken: setting().platform.token(setting().account),
    guardData: undefined,
  })
  const sources: string[] = []
  const open = async () => {
    const session = await openSession(context)
    sources.push(session.source)
    await session.close()
    setting().platform.book.revoke(session.refreshToken)
  }
  await open()
  await open()
  setting().lines.length = 0
  await open()
  expect(sources).toEqual(['environment', 'saved', 'password'])
  expect(setting().lines.map((line) => JSON.parse(line).msg)).toEqual([
    'Cannot sign in with the token from the environment: Steam answered AccessDenied',
    'Cannot sign in with the saved session: Steam answered AccessDenied',
  ])
})

test('a token from the environment is never saved', async () => {
  const token = setting().platform.token(setting().account)
  const { context, session } = await signIn(undefined, { PLATFORM_REFRESH_TOKEN: token })
  expect(session).toMatchObject({ source: 'environment', stored: undefined })
  expect((await context.store.load(junimo.name)).session).toBeUndefined()
})

test('while Steam is unreachable there is no password prompt', async () => {
  const config = setting().config({ PLATFORM_USERNAME: junimo.name })
  const prompter = person(junimo.password)
  const context = { ...setting().context(config), prompter, logonTimeout: 300 }
  await context.store.save({
    username: junimo.name,
    refreshToken: setting().platform.token(setting().account),
    guardData: undefined,
  })
  setting().platform.knobs.directoryDown = true
  await expect(openSession(context)).rejects.toMatchObject({ kind: 'unreachable' })
  expect(prompter.heard).toEqual([])
})
