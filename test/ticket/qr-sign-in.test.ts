/** Signing in with a QR code. */
import { expect, test } from 'vitest'
import { openSession } from '../../ticket/session/open-session.ts'
import { eventually } from '../wait.ts'
import { junimo } from './setting.ts'
import { person, signInSetting } from './sign-in-setting.ts'

const { setting } = signInSetting()

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
