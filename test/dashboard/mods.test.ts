/** The view of the mods: zips are dropped, mods changed, and the link of the players' pack is made. */
import { expect, onTestFinished, test } from 'vitest'
import { askWithKey } from '../contract/request.ts'
import { nodeServer } from '../runtime/node/node-server.ts'
import { farmMods, zipOf } from '../services/mods/farm-mods.ts'
import { eventually } from '../wait.ts'
import { expectAccessible, expectGood, openView } from './open-page.ts'
import { browser } from './shared-browser.ts'

async function served(options: Parameters<typeof nodeServer>[0] = {}) {
  const server = await nodeServer(options)
  onTestFinished(() => server.stop())
  return server
}

const open = (server: Parameters<typeof openView>[1]) => openView(browser, server, 'mods')
const zip = (name: string, buffer: Buffer) => ({ name, mimeType: 'application/zip', buffer })

test('zips are installed with the result for each mod; what is wrong is first, and its cure installs', async () => {
  const opened = await open(await served())
  const { page } = opened
  await page.getByText('No mods yet.').waitFor()
  const input = page.locator('input[type=file]')
  await input.setInputFiles([
    zip(
      'two.zip',
      zipOf({ A: { id: 'A.Alone' }, P: { id: 'A.Pack', contentFor: 'A.Base', version: '1.0.0' } }),
    ),
    zip('bad.zip', Buffer.from('not a zip')),
  ])
  await page.getByText('Alone 1.0.0 is installed').waitFor()
  await page.getByText('Pack 1.0.0 is installed').waitFor()
  await page.getByText('bad.zip').waitFor()
  await page.getByText('The zip is refused: ').waitFor()
  const names = () => page.locator('.fold .what bdi').allTextContents()
  await eventually(async () => expect(await names()).toEqual(['Pack', 'Alone']))
  await page.locator('.fold').first().getByText('It needs A.Base, which is not installed.').first().waitFor()
  await page.getByText('It must be restarted to load them.').waitFor()
  await input.setInputFiles([
    zip('base.zip', zipOf({ B: { id: 'A.Base' }, A: { id: 'A.Alone', version: '1.1.0' } })),
  ])
  await page.getByText('Base 1.0.0 is installed').waitFor()
  await page.getByText('Alone is now 1.1.0; its settings are kept').waitFor()
  await eventually(async () => expect(await names()).toEqual(['Alone', 'Base', 'Pack']))
  await expectAccessible(opened)
  await expectGood(opened)
})

test('a mod is disabled, enabled and deleted; what others need asks first and names them', async () => {
  const server = await served()
  await askWithKey(server, 'POST', '/mods', {
    headers: { 'Content-Type': 'application/zip' },
    body: new Uint8Array(zipOf({ B: { id: 'A.Base' }, P: { id: 'A.Pack', contentFor: 'A.Base' } })),
  })
  const { page } = await open(server)
  const fold = (name: string) => page.locator('.fold').filter({ has: page.getByText(name, { exact: true }) })
  await fold('Base').locator('summary').click()
  await fold('Base').getByRole('button', { name: 'Disable' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('These mods do not load without it: Pack.').waitFor()
  await dialog.getByRole('button', { name: 'Disable anyway' }).click()
  await page.locator('.fold').first().getByText('It needs A.Base, which is disabled.').first().waitFor()
  await fold('Base').locator('summary').click()
  await fold('Base').getByRole('button', { name: 'Enable' }).click()
  await page.getByText('does not load').waitFor({ state: 'detached' })
  await fold('Base').locator('summary').click()
  await fold('Base').getByRole('combobox', { name: 'Needed by' }).selectOption('players too')
  await fold('Base').getByRole('button', { name: 'Delete…' }).click()
  await dialog.getByText('These mods do not load without it: Pack.').waitFor()
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
  await eventually(async () =>
    expect(await page.locator('.fold .what bdi').allTextContents()).toEqual(['Pack']),
  )
})

test('a mod with many problems and dependencies shows the first of each and the number of the others', async () => {
  const folder = farmMods()
  onTestFinished(folder.remove)
  folder.put('Mod', { id: 'A.Mod', needs: Array.from({ length: 200 }, (_, at) => ({ UniqueID: `B.${at}` })) })
  const server = await served({ server: { mods: folder.open().port } })
  const [{ moreProblems, moreDependencies }] = (
    (await askWithKey(server, 'GET', '/mods')).json as {
      mods: [{ moreProblems: number; moreDependencies: number }]
    }
  ).mods
  const { page } = await open(server)
  await page.locator('.fold summary').click()
  await page.getByText(`and ${moreProblems} more`, { exact: true }).waitFor()
  await page.getByText(`, and ${moreDependencies} more`).waitFor()
})

test('links to the pack are listed with their ends, and each is revoked with its button', async () => {
  const server = await served()
  const zip = new Uint8Array(zipOf({ B: { id: 'A.Base' } }))
  await askWithKey(server, 'POST', '/mods', { headers: { 'Content-Type': 'application/zip' }, body: zip })
  await askWithKey(server, 'POST', '/mods/pack-links', { json: { expiresInDays: 30 } })
  const opened = await open(server)
  const { page } = opened
  const links = page.locator('.links li')
  await links.getByText('Made by API_KEY').waitFor()
  await page.getByRole('button', { name: 'Make a link' }).click()
  const address = await page.getByRole('link', { name: 'Download the zip' }).getAttribute('href')
  await eventually(async () => expect(await links.count()).toBe(2))
  await expectAccessible(opened)
  // The newest is first.
  await links.first().getByRole('button', { name: 'Revoke' }).click()
  await eventually(async () => expect(await links.count()).toBe(1))
  await page.getByRole('link', { name: 'Download the zip' }).waitFor({ state: 'detached' })
  expect((await fetch(String(address))).status).toBe(404)
  await expectGood(opened)
})

test('newer versions are announced, and each mod links to its page, also when SMAPI’s server is slow', async () => {
  const folder = farmMods()
  onTestFinished(folder.remove)
  folder.put('Old', { id: 'A.Old' })
  const { promise: asked, resolve: answer } = Promise.withResolvers<Response>()
  const { port: mods } = folder.open({ updatesUrl: 'http://updates.test/', fetch: () => asked })
  const server = await served({ server: { mods } })
  const { page } = await open(server)
  const fold = page.locator('.fold').filter({ hasText: 'Old' })
  await fold.getByText('on', { exact: true }).waitFor()
  const url = 'https://www.nexusmods.com/stardewvalley/mods/1'
  answer(Response.json([{ id: 'A.Old', suggestedUpdate: { version: '1.1.0', url } }]))
  await page.getByText('Old: newer versions exist.').waitFor()
  expect((await askWithKey(server, 'GET', '/mods/updates')).json).toEqual({
    updates: [{ id: 'A.Old', installed: '1.0.0', version: '1.1.0', url }],
  })
  await fold.getByText('newer version', { exact: true }).waitFor()
  await fold.locator('summary').click()
  expect(await fold.getByRole('link', { name: '1.1.0' }).getAttribute('href')).toBe(url)
})

test('a connection that is lost between two zips leaves a result for each', async () => {
  const server = await served()
  const { page } = await open(server)
  await page.route('**/mods', async (route) => {
    if (route.request().method() !== 'POST') return route.continue()
    const response = await route.fetch()
    await server.shutDown(0)
    await page.getByText('Reconnecting', { exact: true }).waitFor()
    await route.fulfill({ response })
  })
  await page
    .locator('input[type=file]')
    .setInputFiles([
      zip('one.zip', zipOf({ One: { id: 'A.One' } })),
      zip('two.zip', zipOf({ Two: { id: 'A.Two' } })),
    ])
  await page.getByText('One 1.0.0 is installed').waitFor()
  await page.getByText('two.zip').waitFor()
  await page.getByText('The connection was lost. Choose this file again').waitFor()
})
