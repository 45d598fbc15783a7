/** Attackers on another port of the farm's host, which browsers give the farm's cookies, against people who have signed in. */
import { createServer } from 'node:http'
import { afterAll, afterEach, expect, test } from 'vitest'
import { browser as plain } from '../accounts/browser.ts'
import { farmWithAccounts } from '../accounts/farm-with-accounts.ts'
import { openChat } from '../contract/chat-client.ts'
import { ask, askWithKey, expectProblem } from '../contract/request.ts'
import { listening } from '../listening.ts'
import { nodeServer } from '../runtime/node/node-server.ts'
import { isLive, openPage } from './open-page.ts'
import { browser } from './shared-browser.ts'

const { issuer, front, server, stop } = await farmWithAccounts((signIn) => nodeServer({ signIn }))

/** The page of a game on another port: its server keeps the cookies that it gets. */
const got: string[] = []
const hostile = createServer((request, response) => {
  if (request.headers.cookie !== undefined) got.push(request.headers.cookie)
  response.writeHead(200, { 'Content-Type': 'text/html' }).end('<!doctype html><title>VNC</title>')
})
const hostileUrl = `http://127.0.0.1:${await listening(hostile)}`
afterAll(async () => {
  await stop()
  hostile.closeAllConnections()
  hostile.close()
})
afterEach(() => issuer.reset())

const be = (name: string) => {
  issuer.person = { id: String(Buffer.from(name).readUIntBE(0, 4)), name, groups: [] }
}
const giveAdmin = async (name: string) => {
  const { accounts } = (await askWithKey(server, 'GET', '/accounts')).json as {
    accounts: { id: string; name: string }[]
  }
  for (const { id } of accounts.filter((one) => one.name === name))
    await askWithKey(server, 'PATCH', `/accounts?id=${id}`, { json: { scopes: ['admin'] } })
}

/** A page on which someone with the scope `admin` has signed in, and what it sends with each of its requests. */
async function signedIn(name: string) {
  be(name)
  const opened = await openPage(browser, `${front.url}/`)
  const { page } = opened
  await page.getByRole('button', { name: 'Sign in with Discord' }).click()
  await page.getByText(`Signed in as ${name}`).waitFor()
  await giveAdmin(name)
  const secrets: (string | undefined)[] = []
  page.on('request', (request) => {
    if (request.url() === `${front.url}/keys/own`) secrets.push(request.headers()['farmgate-session'])
  })
  await page.reload()
  await isLive(opened)
  expect(page.url()).toBe(`${front.url}/`)
  return { page, context: page.context(), secret: secrets[0] ?? '' }
}

test('a server on another port gets the cookie of a session, and can do nothing with it', async () => {
  const { context, secret } = await signedIn('Robin')
  const tab = await context.newPage()
  await tab.goto(hostileUrl)
  const cookie = got.at(-1) ?? ''
  expect(cookie).toContain('farmgate=fs_')
  const stolen = { Cookie: cookie, Origin: front.url }
  const asked = (method: string, path: string, more: Record<string, string> = {}) =>
    ask({ url: front.url }, method, path, {
      headers: { ...stolen, ...more },
      ...(method === 'POST' && { json: { name: 'theirs', scopes: ['admin'] } }),
    })
  expectProblem(await asked('GET', '/keys/own'), 401, 'unauthorized')
  expectProblem(await asked('POST', '/keys'), 401, 'unauthorized')
  expectProblem(await asked('POST', '/sign-out'), 401, 'unauthorized')
  expectProblem(await asked('GET', '/keys/own', { 'Farmgate-Session': 'guess' }), 401, 'unauthorized')
  const wsUrl = `${front.url.replace('http', 'ws')}/ws`
  const socket = await openChat({ wsUrl }, { headers: stolen }, ['farmgate', 'session.guess'])
  socket.send({ type: 'auth' })
  await socket.take('auth_failed')
  // The page's own secret makes it a session.
  expect((await asked('GET', '/keys/own', { 'Farmgate-Session': secret })).json).toMatchObject({
    name: 'Robin',
  })
})

test('a script on another port reads and changes nothing of the session, and the page works on', async () => {
  const { page, context } = await signedIn('Marnie')
  const tab = await context.newPage()
  await tab.goto(hostileUrl)
  const tried = await tab.evaluate(async (farm) => {
    const send = (path: string, init: RequestInit) =>
      fetch(farm + path, { credentials: 'include', ...init }).then(
        (response) => response.type,
        () => 'refused',
      )
    const socket = new WebSocket(`${farm.replace('http', 'ws')}/ws`, ['farmgate'])
    const body = JSON.stringify({ name: 'theirs', scopes: ['admin'] })
    return [
      await send('/keys/own', {}),
      await send('/keys', { method: 'POST', body }),
      await send('/keys', { method: 'POST', body, mode: 'no-cors' }),
      await new Promise((resolve) => {
        socket.onopen = () => resolve('open')
        socket.onerror = () => resolve('refused')
        if (socket.readyState === socket.CLOSED) resolve('refused')
      }),
      Object.keys(localStorage).join(),
    ]
  }, front.url)
  expect(tried).toEqual(['refused', 'refused', 'opaque', 'refused', ''])
  // It begins a sign-in, whose code it cannot read, and which leaves the session of the page as it is.
  const [opened, popup] = await Promise.all([
    tab.evaluateHandle(
      (url) => window.open(url),
      `${front.url}/sign-in/discord?next=${encodeURIComponent('/#theirs')}`,
    ),
    context.waitForEvent('page'),
  ])
  await popup.getByText('Signed in as Marnie').waitFor()
  await expect(opened.evaluate((theirs) => theirs?.location.href)).rejects.toThrow()
  expect((await askWithKey(server, 'GET', '/keys')).text).not.toContain('theirs')
  await page.reload()
  await page.getByText('Signed in as Marnie').waitFor()
})

test('a reload, a second tab and a closed browser keep the session; a sign-out ends it in all', async () => {
  const { page, context } = await signedIn('Leah')
  const second = await context.newPage()
  await second.goto(front.url)
  await second.getByText('Signed in as Leah').waitFor()
  const storageState = await context.storageState()
  const later = await browser.newContext({ storageState, locale: 'en-US' })
  const again = await later.newPage()
  await again.goto(front.url)
  await again.getByText('Signed in as Leah').waitFor()
  await again.getByRole('button', { name: 'Sign out' }).click()
  await again.getByRole('button', { name: 'Sign out here' }).click()
  await again.getByRole('button', { name: 'Sign in with Discord' }).waitFor()
  await page.getByRole('button', { name: 'Sign in with Discord' }).waitFor()
  await later.close()
})

test('no one can be signed in as the attacker: neither by a planted cookie and a link with their code, nor next to their own sign-in', async () => {
  be('Mallory')
  const attacker = plain(front.url)
  const landed =
    (await attacker.comeBack(await attacker.begin('discord', '/#mark'))).headers.get('location') ?? ''
  expect(landed).toMatch(/#session=[\w-]{43}\.mark$/)
  const opened = await openPage(browser, hostileUrl)
  const { page } = opened
  const value = attacker.cookies.get('farmgate') ?? ''
  await page.context().addCookies([{ name: 'farmgate', value, url: front.url }])
  await page.goto(landed)
  await page.getByRole('alert').getByText('That sign-in did not begin on this page.').waitFor()
  expect(page.url()).toBe(`${front.url}/`)
  // Their code is good still, so the farm has not been asked for it.
  be('Victim')
  await page.getByRole('button', { name: 'Sign in with Discord' }).click()
  await page.getByText('Signed in as Victim').waitFor()
  await attacker.land(landed)
  expect((await attacker.fetch('GET', '/keys/own')).json).toMatchObject({ name: 'Mallory' })
})
