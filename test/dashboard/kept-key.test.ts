/** A key that the browser keeps: no other farm gets it, no link replaces it, and no refusal deletes it. */

import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { askWithKey } from '../contract/request.ts'
import { nodeServer } from '../runtime/node/node-server.ts'
import { openPage } from './open-page.ts'
import { browser } from './shared-browser.ts'

const keyField = (page: Page) => page.getByLabel('Key', { exact: true })
const isSignedIn = (page: Page) => page.getByRole('navigation').waitFor()
const keysIn = (page: Page) =>
  page.evaluate(() => Object.entries({ ...sessionStorage, ...localStorage }).toSorted())

async function aFarm(basePath = '') {
  const farm = await nodeServer({
    basePath,
    ...(basePath !== '' && { key: `key-of${basePath.replaceAll('/', '-')}` }),
  })
  onTestFinished(() => farm.stop())
  return farm
}

/** Two farms on one origin, as behind a proxy or at the edge; and the keys that each of them was sent. */
async function twoFarms() {
  const [alpha, beta] = [await aFarm('/farms/alpha'), await aFarm('/farms/beta')]
  const sent: Readonly<Record<string, Set<string>>> = { alpha: new Set(), beta: new Set() }
  const proxy = createServer((incoming, answer) => {
    const name = incoming.url?.startsWith('/farms/alpha') === true ? 'alpha' : 'beta'
    const { authorization } = incoming.headers
    if (authorization !== undefined) sent[name]?.add(authorization.replace('Bearer ', ''))
    const { hostname, port } = new URL((name === 'alpha' ? alpha : beta).url)
    const { method, url, headers } = incoming
    incoming.pipe(
      request({ hostname, port, method, path: url, headers }, (from) => {
        answer.writeHead(from.statusCode ?? 502, from.headers)
        from.pipe(answer)
      }).on('error', () => answer.destroy()),
    )
  })
  proxy.on('upgrade', (_incoming, socket) => socket.destroy())
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    proxy.closeAllConnections()
    proxy.close()
  })
  const origin = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  return { alpha, beta, sent, at: (name: string) => `${origin}/farms/${name}/` }
}

test('the key of one farm is neither sent to nor deleted by another farm of the same origin', async () => {
  const { alpha, beta, sent, at } = await twoFarms()
  const { page } = await openPage(browser, `${at('alpha')}#key=${alpha.key}`)
  await isSignedIn(page)
  await page.goto(at('beta'))
  await keyField(page).fill(beta.key)
  await page.keyboard.press('Enter')
  await isSignedIn(page)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await keyField(page).waitFor()
  await page.goto(at('alpha'))
  await isSignedIn(page)
  expect(sent).toEqual({ alpha: new Set([alpha.key]), beta: new Set([beta.key]) })
})

test('a key that was saved before farms had names is offered, and used only after the person agrees', async () => {
  const { alpha, beta, sent, at } = await twoFarms()
  const { page } = await openPage(browser, at('beta'))
  await page.evaluate((key) => localStorage.setItem('farmgate.key', key), alpha.key)
  await page.reload()
  await page.getByRole('button', { name: 'Use the stored key' }).waitFor()
  expect(sent['beta']).toEqual(new Set())
  await page.goto(at('alpha'))
  await page.getByRole('button', { name: 'Use the stored key' }).click()
  await isSignedIn(page)
  await page.reload()
  await isSignedIn(page)
  expect(await keysIn(page)).toEqual([['farmgate.key:/farms/alpha/', alpha.key]])
  expect(sent['beta']?.has(beta.key)).toBe(false)
})

test('a link with another key asks before it replaces the saved one, and a wrong one replaces nothing', async () => {
  const farm = await aFarm()
  const { page } = await openPage(browser, `${farm.url}/#key=${farm.key}`)
  await isSignedIn(page)
  const before = await keysIn(page)
  const dialog = page.getByRole('dialog')
  await page.goto('about:blank')
  await page.goto(`${farm.url}/#key=of-someone-else`)
  await isSignedIn(page)
  await dialog.getByRole('button', { name: 'Replace it' }).click()
  await dialog.getByText('farmgate does not accept this key.').waitFor()
  expect(await keysIn(page)).toEqual(before)
  await dialog.getByRole('button', { name: 'Keep the stored key' }).click()
  await dialog.waitFor({ state: 'detached' })
  await isSignedIn(page)
  const { json } = await askWithKey(farm, 'POST', '/keys', {
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: 'another', scopes: ['chat'] }),
  })
  const { key } = json as { key: string }
  await page.goto(`${farm.url}/#key=${key}`)
  await dialog.getByRole('button', { name: 'Replace it' }).click()
  await page.getByRole('link', { name: 'People' }).waitFor({ state: 'detached' })
  expect(await keysIn(page)).toEqual([['farmgate.key:/', key]])
})

test('a key pasted into the address of an open page leaves the address bar', async () => {
  const farm = await aFarm()
  const { page } = await openPage(browser, `${farm.url}/`)
  await keyField(page).waitFor()
  await page.evaluate((key) => location.assign(`#key=${key}`), farm.key)
  await isSignedIn(page)
  expect(page.url()).toBe(`${farm.url}/`)
})

test('a key that is refused once stays until signing out, and opens the farm when it is accepted again', async () => {
  const farm = await aFarm()
  const { page } = await openPage(browser, `${farm.url}/#key=${farm.key}`)
  await isSignedIn(page)
  // The answer of a farm that cannot read its named keys at a start.
  await page.route('**/keys/own', (route) =>
    route.fulfill({ status: 401, json: { error: 'Unauthorized', code: 'unauthorized' } }),
  )
  await page.reload()
  await page.getByRole('alert').getByText('did not accept the key stored in this browser').waitFor()
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('alert').getByText('did not accept the key stored in this browser').waitFor()
  await page.unroute('**/keys/own')
  await page.getByRole('button', { name: 'Try again' }).click()
  await isSignedIn(page)
})

test('the first visit leaves no error in the console of the browser', async () => {
  const farm = await aFarm()
  const context = await browser.newContext()
  onTestFinished(() => context.close())
  const page = await context.newPage()
  const errors: string[] = []
  page.on('console', (line) => {
    if (line.type() === 'error') errors.push(line.text())
  })
  await page.goto(farm.url)
  await keyField(page).waitFor()
  expect(errors).toEqual([])
})
