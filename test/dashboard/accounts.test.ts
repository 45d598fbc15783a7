/** A friend signs in with an own account, from an invitation to the chat, and an admin manages people. */
import { afterAll, afterEach, expect, test } from 'vitest'
import { browser as cookies } from '../accounts/browser.ts'
import { farmWithAccounts } from '../accounts/farm-with-accounts.ts'
import { postKey } from '../contract/http/made-key.ts'
import { askWithKey } from '../contract/request.ts'
import { nodeServer } from '../runtime/node/node-server.ts'
import { eventually } from '../wait.ts'
import { expectGood, isLive, type OpenPage, openPage, openView } from './open-page.ts'
import { browser } from './shared-browser.ts'

const { issuer, front, server, stop } = await farmWithAccounts((signIn) => nodeServer({ signIn }))
afterAll(stop)
afterEach(() => issuer.reset())

const invite = async (more: object = {}) => {
  const json = { scopes: ['read', 'chat'], ...more }
  return (await askWithKey(server, 'POST', '/invitations', { json })).json as { url: string; id: string }
}
/** The page keeps its policy; the provider's page is another host. */
const expectOwn = async (opened: OpenPage) =>
  expectGood({ ...opened, asked: opened.asked.filter((url) => !url.startsWith(issuer.url)) })

test('an invitation that was deleted has a page that says so; with another one a friend goes from its link to saying hello in the chat', async () => {
  issuer.person = { id: '1001', name: 'Leah', groups: [] }
  const deleted = await invite()
  await askWithKey(server, 'DELETE', `/invitations?id=${deleted.id}`)
  const opened = await openPage(browser, deleted.url)
  const { page } = opened
  await page.getByText('This invitation was used up, has expired or was deleted.').waitFor()
  await page.goto((await invite()).url)
  const dialog = page.getByRole('dialog', { name: 'You are invited' })
  await dialog.getByText('Read and write chat messages, and announce to all players.').waitFor()
  expect(page.url()).toBe(`${front.url}/`)
  await dialog.getByRole('button', { name: 'Sign in with Discord' }).click()
  await dialog.getByRole('button', { name: 'Accept as Leah' }).click()
  await dialog.getByText('Accepted.').waitFor()
  await dialog.getByRole('button', { name: 'To the farm' }).click()
  await isLive(opened)
  await page.getByText('Signed in as Leah').waitFor()
  await page.getByRole('link', { name: 'Chat' }).click()
  await page.getByLabel('Your name in the game').fill('Leah')
  await page.getByLabel('Message').fill('hello')
  await page.keyboard.press('Enter')
  await eventually(() => expect(server.farm.seen()).toContain('(Web) Leah: hello'))
  await page.reload()
  await isLive(opened)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: 'Sign out everywhere' }).click()
  await page.getByRole('button', { name: 'Sign in with Discord' }).waitFor()
  expect((await page.context().cookies()).filter(({ name }) => name === 'farmgate')).toEqual([])
  await expectOwn(opened)
})

test('a sign-in that the person cancels leads back to the page, which says so; a person without scopes reads there what is missing', async () => {
  issuer.answer = (query) => query.set('error', 'access_denied')
  const opened = await openPage(browser, `${front.url}/`)
  const { page } = opened
  await page.getByRole('button', { name: 'Sign in with Discord' }).click()
  await page.getByRole('alert').getByText('The sign-in was cancelled.').waitFor()
  issuer.reset()
  issuer.person = { id: '1002', name: 'Pierre', groups: [] }
  await page.getByRole('button', { name: 'Sign in with Valley ID' }).click()
  await page.getByText('You are signed in, but have no access to this farm yet.').waitFor()
  await expectOwn(opened)
})

test('the Keys view says which row is the session of a person, and which a key', async () => {
  issuer.person = { id: '1005', name: 'Evelyn', groups: [] }
  await cookies(front.url).signIn('oidc')
  await postKey(server, { name: 'A bot', scopes: ['read'] })
  const { page } = await openView(browser, { url: front.url, key: server.key }, 'keys')
  const row = (name: string) => page.locator('.people li').filter({ hasText: name })
  expect(await row('Evelyn').innerText()).toContain('session of a person who signed in')
  expect(await row('A bot').innerText()).not.toContain('session')
})

test('a session that an admin ends is signed out within a second', async () => {
  issuer.person = { id: '1003', name: 'Caroline', groups: [] }
  const opened = await openPage(browser, `${front.url}/`)
  const { page } = opened
  await page.getByRole('button', { name: 'Sign in with Discord' }).click()
  await page.getByText('Signed in as Caroline').waitFor()
  const { keys } = (await askWithKey(server, 'GET', '/keys')).json as { keys: { id: string; name: string }[] }
  for (const { id, name } of keys)
    if (name === 'Caroline') await askWithKey(server, 'DELETE', `/keys?id=${id}`)
  await page.getByRole('button', { name: 'Sign in with Discord' }).waitFor()
})

test('an admin invites with a link and a QR code, changes scopes, ends sessions, maps groups and deletes a person', async () => {
  issuer.person = { id: '1004', name: 'Demetrius', groups: [] }
  await cookies(front.url).signIn('oidc')
  const { page } = await openView(browser, { url: front.url, key: server.key }, 'accounts')
  await page.getByRole('button', { name: 'Create an invitation' }).click()
  const made = page.getByRole('dialog', { name: 'Invitation' })
  await made.getByText(`${front.url}/#invitation=`).waitFor()
  await made.getByRole('button', { name: 'QR' }).click()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await page.getByText('accepted 0 of 1 times').first().waitFor()
  const person = page.getByRole('listitem').filter({ hasText: 'Demetrius' })
  await person.getByRole('button', { name: 'Change the scopes' }).click()
  await page.getByRole('dialog').getByRole('checkbox').nth(2).check()
  await page.getByRole('button', { name: 'Save the scopes' }).click()
  await person.getByText('control').waitFor()
  await person.getByRole('button', { name: '1 session' }).click()
  await page.getByRole('button', { name: 'End the session' }).click()
  await page.keyboard.press('Escape')
  await person.getByRole('button', { name: '0 sessions' }).waitFor()
  await page.getByLabel('Id of the role, or name of the group').fill('77')
  await page.getByRole('button', { name: 'Add the group' }).click()
  await page.getByRole('button', { name: 'Save the groups' }).click()
  await eventually(async () =>
    expect((await server.records.calls.accountGroups())[0]).toEqual({
      provider: 'discord',
      id: '77',
      scopes: ['read'],
    }),
  )
  await person.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await person.waitFor({ state: 'detached' })
})

test('deleting a person names the keys that the person made, and revokes them unless the admin keeps them', async () => {
  issuer.person = { id: '1009', name: 'Morris', groups: [] }
  const morris = cookies(front.url)
  await morris.signIn('oidc')
  const { account } = (await morris.fetch('GET', '/keys/own')).json as { account: { id: string } }
  await askWithKey(server, 'PATCH', `/accounts?id=${account.id}`, { json: { scopes: ['admin'] } })
  const json = { name: 'Morris bot', scopes: ['read'] }
  expect((await morris.fetch('POST', '/keys', { json })).status).toBe(201)
  const { page } = await openView(browser, { url: front.url, key: server.key }, 'keys')
  await page.getByText('made by Morris').waitFor()
  await page.getByRole('link', { name: 'Accounts' }).click()
  const person = page.getByRole('listitem').filter({ hasText: 'Morris' })
  await person.getByRole('button', { name: 'Delete' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Also revoke the keys that this person made: Morris bot').waitFor()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await person.waitFor({ state: 'detached' })
  const keys = await server.records.of('local').keys()
  expect(keys.filter(({ name }) => name.startsWith('Morris'))).toEqual([])
})
