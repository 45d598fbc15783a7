import { expect, test } from 'vitest'
import { openSession } from '../../ticket/session/open-session.ts'
import type { Knobs } from '../platform/knobs.ts'
import { eventually } from '../wait.ts'
import { on, sharedSessions } from './kept-session.ts'
import { junimo } from './setting.ts'

const { setting, keep } = await sharedSessions()

function passwordSignIn(answerTimeout: number) {
  const config = setting.config({ PLATFORM_USERNAME: junimo.name, PLATFORM_PASSWORD: junimo.password })
  return openSession({ ...setting.context(config), logonTimeout: answerTimeout })
}

const late = { kind: 'unreachable', message: 'Steam did not answer within 0.3 s' }

// The first tests: after a success the library keeps the list of connection managers for five minutes.
test.each<Knobs['hangs']>(['proxy', 'directory'])(
  'a sign-in by password ends by a time limit when the %s accepts and never answers',
  async (server) => {
    setting.platform.knobs.hangs = server
    await expect(passwordSignIn(300)).rejects.toMatchObject(late)
  },
)

test('a proxy that refuses the connection is named as the cause', async () => {
  setting.platform.knobs.unreachable = true
  await expect(passwordSignIn(20_000)).rejects.toMatchObject({
    kind: 'unreachable',
    message: 'Steam cannot be reached (the proxy answered 502)',
  })
})

test('serve continues after a directory that never answered, and signs in once it does', async () => {
  setting.platform.knobs.hangs = 'directory'
  const { session } = await keep({
    days: null,
    environment: { PLATFORM_PASSWORD: junimo.password },
    logonTimeout: 300,
  })
  await eventually(() => session.state().phase === 'waiting')
  expect(session.state().reason).toContain('did not answer')
  setting.platform.knobs.hangs = undefined
  await on(session)
})

test('a connection manager that accepts and never answers ends a sign-in by a time limit, and is not dialled indefinitely', async () => {
  setting.platform.knobs.hangs = 'connection manager'
  await expect(passwordSignIn(300)).rejects.toMatchObject(late)
  await eventually(() => setting.platform.openSockets() === 0)
})

test('a sign-in ends by a time limit when Steam does not answer a typed code', async () => {
  setting.platform.knobs.guard = 'device-code'
  setting.platform.knobs.silent.add('Authentication.UpdateAuthSessionWithSteamGuardCode#1')
  const config = setting.config({ PLATFORM_USERNAME: junimo.name, PLATFORM_PASSWORD: junimo.password })
  const prompter = { say: () => undefined, ask: () => Promise.resolve(junimo.code) }
  const context = { ...setting.context(config), prompter, logonTimeout: 300 }
  await expect(openSession(context)).rejects.toMatchObject(late)
})
