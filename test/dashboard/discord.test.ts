/** The view of a farm's Discord servers (docs/dashboard.md, docs/notifications.md). */

import { afterAll, expect, test } from 'vitest'
import { askWithKey } from '../contract/request.ts'
import { discordKey, newId, sendCommand } from '../discord/signed.ts'
import { type NodeServer, nodeServer } from '../runtime/node/node-server.ts'
import { expectAccessible, expectGood, openView } from './open-page.ts'
import { browser } from './shared-browser.ts'

// Discord itself is not called: quick requests are answered at once.
const server = await nodeServer({ discord: { publicKey: discordKey, apiUrl: 'http://127.0.0.1:9' } })
afterAll(() => server.stop())

const helper = '539082325061836999'
const manageGuild = '32'
const textOf = async (reply: ReturnType<typeof sendCommand>) =>
  ((await reply).json as { readonly data: { readonly content: string } }).data.content

async function openDiscord(of: Pick<NodeServer, 'url' | 'key'> = server) {
  const opened = await openView(browser, of, 'discord')
  await opened.page.getByRole('button', { name: 'Create a code' }).waitFor()
  return opened
}

test('a Discord server is bound with a code, appears without a reload, is given roles, and is removed', async () => {
  const guild = newId()
  const opened = await openDiscord()
  const { page } = opened
  await page.getByText('No Discord servers yet.').waitFor()
  await page.getByText('A member with the permission Manage Server enters the line in Discord.').waitFor()
  await page.getByRole('button', { name: 'Create a code' }).click()
  const line = await page.locator('.secret').innerText()
  const [, code = ''] = /^\/farm bind code:([0-9a-f]+)$/.exec(line) ?? []
  await expectAccessible(opened)
  await textOf(sendCommand(server, 'bind', { guild, permissions: manageGuild, given: { code } }))
  await page.getByText('The Discord server is linked.').waitFor()
  expect(await page.locator('.secret').count()).toBe(0)

  const row = page.locator('.fold').filter({ hasText: `Server ${guild}` })
  await row.getByText('all members: read').waitFor()
  await row.locator('summary').click()
  const save = row.getByRole('button', { name: 'Save the roles' })
  expect(await save.isDisabled()).toBe(true)
  await row.getByLabel('Role id').fill('no id')
  expect(await row.getByRole('button', { name: 'Add' }).isDisabled()).toBe(true)
  await row.getByLabel('Role id').fill(helper)
  await row.getByRole('button', { name: 'Add' }).click()
  const role = row.getByRole('group', { name: `Role ${helper}` })
  await role.getByLabel('chat').uncheck()
  await role.getByLabel('control').check()
  await expectAccessible(opened)
  await save.click()
  await row.getByText('Roles saved.').waitFor()
  await row.getByText('1 role with more scopes').waitFor()
  const listed = async () => (await askWithKey(server, 'GET', '/discord/servers')).json
  expect(await listed()).toMatchObject({
    servers: [{ id: guild, roles: [{ id: helper, scopes: ['control'] }] }],
  })
  const time = () => textOf(sendCommand(server, 'time', { guild, roles: [helper], given: { value: 1200 } }))
  expect(await time()).toBe('Time set to 1200.')

  await row.getByRole('button', { name: 'Remove…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click()
  await row.waitFor({ state: 'detached' })
  expect([await listed(), await time()]).toEqual([
    { servers: [], isSetUp: true },
    expect.stringContaining('not bound to a farm'),
  ])
  await expectGood(opened)
})

/** A Discord server that is bound, and the records in which it is. */
async function bound() {
  const records = server.records.of('local')
  const guild = newId()
  const { code } = await records.makeDiscordCode()
  await records.bindDiscordServer({ code, serverId: guild })
  return { records, guild }
}

test('roles without a scope are removed', async () => {
  const { records, guild } = await bound()
  await records.setDiscordRoles({ id: guild, roles: [{ id: helper, scopes: ['chat', 'control'] }] })
  const { page } = await openDiscord()
  const row = page.locator('.fold').filter({ hasText: `Server ${guild}` })
  await row.locator('summary').click()
  const role = row.getByRole('group', { name: `Role ${helper}` })
  await role.getByLabel('chat').uncheck()
  await role.getByLabel('control').uncheck()
  await row.getByRole('button', { name: 'Save the roles' }).click()
  await row.getByText('all members: read').waitFor()
  expect(await records.discordServers()).toMatchObject([{ id: guild, roles: [] }])
  await records.unbindDiscordServer(guild)
})

test('saving the roles of a Discord server that was just removed reports the removal', async () => {
  const { records, guild } = await bound()
  const { page } = await openDiscord()
  const row = page.locator('.fold').filter({ hasText: `Server ${guild}` })
  await row.locator('summary').click()
  await row.getByLabel('Role id').fill(helper)
  await row.getByRole('button', { name: 'Add' }).click()
  await page.route('**/discord/servers', async (route) => {
    await records.unbindDiscordServer(guild)
    await (route.request().method() === 'GET' ? route.abort() : route.continue())
  })
  await row.getByRole('button', { name: 'Save the roles' }).click()
  await row.getByRole('alert').getByText('This Discord server no longer exists.').waitFor()
})
