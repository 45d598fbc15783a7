import { readdir } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { eventually } from '../wait.ts'
import { on, sharedSessions } from './kept-session.ts'
import { junimo } from './setting.ts'

const { setting, keep, messages, start } = await sharedSessions()

test('serve logs on in the background with the saved session', async () => {
  const { session } = await keep()
  expect(session.state().phase).not.toBe('logged_on')
  await on(session)
  expect(session.state()).toMatchObject({ steamId: junimo.steamId, session: 1, reason: undefined })
  await eventually(() => session.state().tokenDaysLeft === 199)
})

test('a lost session is restored, for each way of losing it', async () => {
  const { session } = await keep()
  await on(session)
  setting.platform.dropSockets()
  await eventually(() => session.state().session === 2)
  for (const [round, result] of [
    'LogonSessionReplaced',
    'LoggedInElsewhere',
    'ServiceUnavailable',
  ].entries()) {
    setting.platform.logOffAll(result)
    await eventually(() => session.state().session === round + 3)
  }
})

test('after a long outage of Steam no restart is needed, and the log stays short', async () => {
  const { session } = await keep({ logonTimeout: 300 })
  await on(session)
  setting.platform.knobs.unreachable = true
  setting.platform.dropSockets()
  await eventually(() => messages().length >= 5 && session.state().phase !== 'logged_on')
  const { phase, reason } = session.state()
  expect(['waiting', 'logging_on']).toContain(phase)
  expect(reason).toBeTruthy()
  await expect(session.requestTicket()).rejects.toMatchObject({ kind: 'not_logged_in' })
  setting.platform.knobs.unreachable = false
  await on(session)
  // One line for each attempt, and attempts are up to five minutes apart.
  const tries = setting.lines.filter((line) => line.includes('Next try in')).length
  expect(setting.lines.length).toBeLessThanOrEqual(tries + 3)
})

test('serve never prompts: without a way to sign in it says so and waits for a login', async () => {
  const { session, store } = await keep({ days: null })
  await eventually(() => session.state().phase === 'login_needed')
  expect(messages().join()).toContain('Run the login command')
  await store.save({
    username: junimo.name,
    refreshToken: setting.platform.token(setting.account),
    guardData: undefined,
  })
  await on(session)
})

test('with two processes on one session file, the one that did not renew reads the new token from the file', async () => {
  const { session, config, store } = await keep({ days: 20 })
  await on(session)
  await eventually(() => session.state().tokenDaysLeft === 199)
  const second = start(config, store)
  await on(second)
  const renewed = setting.platform.token(setting.account)
  const old = (await store.load(junimo.name)).session
  if (!old) throw new Error('nothing was saved')
  setting.platform.book.revoke(old.refreshToken)
  await store.save({ ...old, refreshToken: renewed })
  setting.platform.dropSockets()
  await eventually(() => session.state().session === 2 && second.state().session === 2)
})

test('a password from the environment signs in without a prompt when a sign-in is needed', async () => {
  const { session, savedToken } = await keep({
    days: null,
    environment: { PLATFORM_PASSWORD: junimo.password },
  })
  await on(session)
  expect(await savedToken()).toBeTruthy()
})

test('closing during a login ends at once', async () => {
  setting.platform.knobs.logonDelay = 60_000
  const { session } = await keep()
  const logons = setting.platform.count('ClientLogon')
  await eventually(() => setting.platform.count('ClientLogon') > logons)
  // Steam would answer only after the time limit of this test.
  await session.close()
})

test('the Steam library leaves no files', async () => {
  const { session, config } = await keep()
  await on(session)
  expect(await readdir(config.sessionDir)).toEqual(['session-junimo.json'])
  expect(await readdir(config.gameDir)).toEqual([])
})
