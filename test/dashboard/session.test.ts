/** How a person signs in, what a key opens, and how a session ends (docs/dashboard.md). */

import { createServer } from 'node:http'
import type { Page } from 'playwright-core'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { makeKey } from '../contract/http/made-key.ts'
import { askWithKey } from '../contract/request.ts'
import { passOn } from '../pass-on.ts'
import { portOf } from '../port-of.ts'
import { nodeServer } from '../runtime/node/node-server.ts'
import { expectAccessible, expectGood, goTo, openPage, openView } from './open-page.ts'
import { browser } from './shared-browser.ts'

const server = await nodeServer()
await server.farm.join({ id: 6208260877024290921n, name: 'Abby' })
afterAll(() => server.stop())

const open = (more = '') => openPage(browser, `${server.url}/${more}`)
const keyField = (page: Page) => page.getByLabel('Key', { exact: true })
const isSignedIn = (page: Page) => page.getByRole('navigation').waitFor()

test('without a key the page shows only the name, the day and the number of players, and without providers no sign-in with an account', async () => {
  const opened = await open()
  const { page } = opened
  const { json } = await askWithKey(server, 'GET', '/players')
  const { players } = json as { players: { name: string }[] }
  await page.getByText(`${players.length} players online`).waitFor()
  const text = await page.locator('main').innerText()
  expect(text).toContain('Junimo')
  expect(text).toMatch(/(Spring|Summer|Fall|Winter) \d+, year \d+/)
  for (const { name } of players) expect(text).not.toContain(name)
  expect(text).not.toMatch(/invite/i)
  expect(await page.getByRole('button', { name: /^Sign in with/ }).count()).toBe(0)
  await expectGood(opened)
})

test('the farm is shown while farmgate has not answered what is set up, and then the views of what is', async () => {
  const { page } = await open()
  const held = Promise.withResolvers<void>()
  await page.route('**/mods', async (route) => {
    await held.promise
    await route.continue()
  })
  const firstSeen = page.evaluate(
    () =>
      new Promise<string | undefined>((resolve) => {
        new MutationObserver(() => {
          const day = document.querySelector('.shell .date')?.textContent ?? ''
          if (/year \d/.test(day)) resolve(document.querySelector('nav')?.dataset['complete'])
        }).observe(document, { childList: true, subtree: true, characterData: true })
      }),
  )
  await keyField(page).fill(server.key)
  await page.keyboard.press('Enter')
  expect(await firstSeen).toBe('false')
  held.resolve()
  await page.getByRole('navigation').getByRole('link', { name: 'Mods' }).waitFor()
  // An admin sees what is not set up too: its view says what to set.
  await page.getByRole('link', { name: 'Accounts' }).waitFor()
})

test('the field of the key is a password; the key is kept for the tab only, unless the person keeps it on the device, which opens other tabs too until signing out', async () => {
  const { page } = await open()
  expect(await keyField(page).getAttribute('type')).toBe('password')
  await keyField(page).fill(server.key)
  await page.keyboard.press('Enter')
  await isSignedIn(page)
  await page.reload()
  await isSignedIn(page)
  const other = await page.context().newPage()
  await other.goto(server.url)
  await keyField(other).fill(server.key)
  await other.getByLabel('Keep me signed in').check()
  await other.getByRole('button', { name: 'Sign in' }).click()
  await isSignedIn(other)
  const third = await page.context().newPage()
  await third.goto(server.url)
  await isSignedIn(third)
  await third.getByRole('button', { name: 'Sign out' }).click()
  await keyField(third).waitFor()
  await other.reload()
  await keyField(other).waitFor()
})

test('without browser storage a person can still sign in, for as long as the page is open', async () => {
  const opened = await open()
  const { page } = opened
  await page.addInitScript(() => {
    for (const storage of ['localStorage', 'sessionStorage'])
      Object.defineProperty(window, storage, {
        get() {
          throw new DOMException('Access is denied for this document.', 'SecurityError')
        },
      })
  })
  await page.reload()
  await page.getByRole('combobox').selectOption('zh')
  await page.getByRole('combobox').selectOption('en')
  await keyField(page).fill(server.key)
  await page.keyboard.press('Enter')
  await isSignedIn(page)
  await page.getByRole('link', { name: 'Chat' }).click()
  await page.getByLabel('Your name in the game').fill('Robin')
  await page.reload()
  await keyField(page).waitFor()
  await page.evaluate((key) => location.assign(`#key=${key}`), server.key)
  await isSignedIn(page)
  await expectGood(opened)
})

test('an empty field is reported as empty, and a wrong key at the field; nothing is kept', async () => {
  const { page } = await open()
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('alert').getByText('Enter the key.').waitFor()
  await keyField(page).fill('not the key of this farm')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').getByText('farmgate does not accept this key').waitFor()
  expect(await page.evaluate(() => sessionStorage.length + localStorage.length)).toBe(0)
})

test('a key that is revoked while the page is open ends the session, and the page says why', async () => {
  const { id, key } = await makeKey(server, 'read', 'chat')
  const { page } = await open(`#key=${key}`)
  await isSignedIn(page)
  await page.getByText('Live', { exact: true }).waitFor()
  await askWithKey(server, 'DELETE', `/keys?id=${id}`)
  await page.getByRole('alert').getByText('farmgate no longer accepts your key').waitFor()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('alert').waitFor({ state: 'detached' })
  expect(await page.evaluate(() => sessionStorage.length)).toBe(0)
})

test('the key of an address that ends with #key= signs in and leaves the address and the history at once; the page does not offer what the key does not allow', async () => {
  const opened = await open(`#key=${(await makeKey(server, 'control')).key}`)
  const { page } = opened
  await isSignedIn(page)
  expect(page.url()).toBe(`${server.url}/`)
  expect(await page.evaluate(() => history.length)).toBeLessThanOrEqual(2)
  const views = page.getByRole('navigation').getByRole('link')
  for (const [scope, expected] of [
    ['control', 'Overview Controls'],
    ['chat', 'Overview Chat'],
    ['read', 'Overview Chat People History Cabins Saves Backups Mods Process Schedules Settings Doctor'],
  ] as const) {
    if (scope !== 'control') {
      await page.getByRole('button', { name: 'Sign out' }).click()
      await keyField(page).fill((await makeKey(server, scope)).key)
      await page.keyboard.press('Enter')
      await isSignedIn(page)
    }
    await page.getByRole('heading', { name: 'Junimo' }).waitFor()
    expect((await views.allInnerTexts()).map((one) => one.trim())).toEqual(expected.split(' '))
    await opened.settled()
  }
  await expectGood(opened)
})

test('a key with the scope read sees the views that it opens without what changes something, and nothing of Discord and webhooks', async () => {
  server.saved.save({ farmName: 'Junimo' })
  await askWithKey(server, 'POST', '/backups')
  await askWithKey(server, 'POST', '/schedules', {
    json: { name: 'Backups', cron: '0 */6 * * *', do: { action: 'backup' } },
  })
  const { key } = await makeKey(server, 'read')
  const opened = await openView(browser, { ...server, key }, 'doctor')
  const { page, asked } = opened
  await page.locator('.findings').waitFor()
  expect(await page.getByText('Discord').count()).toBe(0)
  for (const [view, shown, forbidden] of [
    ['chat', 'Your key can read the chat', 'input, textarea'],
    ['server', 'No operations yet.', 'button, input'],
    ['schedules', 'Next run', 'button, input, select'],
    // Those without words turn the pages of the calendar.
    ['backups', 'manual', 'button:text-matches("[A-Z]")'],
    ['settings', 'but not change them', 'button, input, select'],
  ] as const) {
    await goTo(opened, view)
    for (const row of await page.locator('main .fold summary').all()) await row.click()
    await page.locator('main').getByText(shown).first().waitFor()
    expect([view, await page.locator(`main :is(${forbidden})`).allInnerTexts()]).toEqual([view, []])
    await expectAccessible(opened)
  }
  expect(asked.filter((address) => /discord|webhooks/.test(address))).toEqual([])
  await expectGood(opened)
})

test('a farm without a key opens at once, and under API_BASE_PATH every request goes below it', async () => {
  const below = await nodeServer({ basePath: '/farm', key: null })
  onTestFinished(() => below.stop())
  const opened = await openPage(browser, `${below.url}/`)
  await isSignedIn(opened.page)
  await opened.page.getByText('Live', { exact: true }).waitFor()
  for (const url of opened.asked) expect(url.startsWith(`${below.url}/`)).toBe(true)
  await expectGood(opened)
})

test('the language is that of the browser, or the chosen one, which the device keeps', async () => {
  const { page } = await openPage(browser, server.url, { locale: 'zh-CN' })
  await page.getByLabel('密钥', { exact: true }).waitFor()
  expect(await page.getAttribute('html', 'lang')).toBe('zh-Hans')
  await page.getByRole('combobox').selectOption('en')
  await keyField(page).waitFor()
  await page.reload()
  await keyField(page).waitFor()
})

const keysIn = (page: Page) =>
  page.evaluate(() => Object.entries({ ...sessionStorage, ...localStorage }).toSorted())

async function aFarm(basePath: string) {
  const farm = await nodeServer({ basePath, key: `key-of${basePath.replaceAll('/', '-')}` })
  afterAll(() => farm.stop())
  return farm
}

const [alpha, beta] = [await aFarm('/farms/alpha'), await aFarm('/farms/beta')]

/** Two farms on one origin, as behind a proxy or at the edge; and the keys that each of them was sent. */
async function twoFarms() {
  const sent: Readonly<Record<string, Set<string>>> = { alpha: new Set(), beta: new Set() }
  const proxy = createServer((incoming, answer) => {
    const name = incoming.url?.startsWith('/farms/alpha') === true ? 'alpha' : 'beta'
    const { authorization } = incoming.headers
    if (authorization !== undefined) sent[name]?.add(authorization.replace('Bearer ', ''))
    passOn(incoming, answer, name === 'alpha' ? alpha.port : beta.port)
  })
  proxy.on('upgrade', (_incoming, socket) => socket.destroy())
  const origin = `http://127.0.0.1:${await portOf(proxy)}`
  return { sent, at: (name: string) => `${origin}/farms/${name}/` }
}

test('the key of one farm is neither sent to nor deleted by another farm of the same origin', async () => {
  const { sent, at } = await twoFarms()
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
  const { sent, at } = await twoFarms()
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
  const { page } = await open(`#key=${server.key}`)
  await isSignedIn(page)
  const before = await keysIn(page)
  const dialog = page.getByRole('dialog')
  await page.goto('about:blank')
  await page.goto(`${server.url}/#key=of-someone-else`)
  await isSignedIn(page)
  await dialog.getByRole('button', { name: 'Replace it' }).click()
  await dialog.getByText('farmgate does not accept this key.').waitFor()
  expect(await keysIn(page)).toEqual(before)
  await dialog.getByRole('button', { name: 'Keep the stored key' }).click()
  await dialog.waitFor({ state: 'detached' })
  await isSignedIn(page)
  const { key } = await makeKey(server, 'chat')
  await page.goto(`${server.url}/#key=${key}`)
  await dialog.getByRole('button', { name: 'Replace it' }).click()
  await page.getByRole('link', { name: 'People' }).waitFor({ state: 'detached' })
  expect(await keysIn(page)).toEqual([['farmgate.key:/', key]])
})

test('the first visit leaves no error in the console of the browser, and a key pasted into the address then leaves the address bar', async () => {
  const { page } = await openPage(browser, 'about:blank')
  const errors: string[] = []
  page.on('console', (line) => {
    if (line.type() === 'error') errors.push(line.text())
  })
  await page.goto(server.url)
  await keyField(page).waitFor()
  expect(errors).toEqual([])
  await page.evaluate((key) => location.assign(`#key=${key}`), server.key)
  await isSignedIn(page)
  expect(page.url()).toBe(`${server.url}/`)
})

test('a key that is refused once stays until signing out, and opens the farm when it is accepted again', async () => {
  const { page } = await open(`#key=${server.key}`)
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
