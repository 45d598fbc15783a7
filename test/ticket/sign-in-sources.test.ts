/** The ways to open a session, their order, and the name under which it is saved. */
import { expect, test } from 'vitest'
import { openSession } from '../../ticket/session/open-session.ts'
import { junimo } from './setting.ts'
import { person, signInSetting } from './sign-in-setting.ts'

const { setting, signIn } = signInSetting()

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
