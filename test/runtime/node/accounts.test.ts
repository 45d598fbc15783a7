import { describe, expect, onTestFinished, test } from 'vitest'
import { type Browser, browser } from '../../accounts/browser.ts'
import { openFront } from '../../accounts/front.ts'
import { startIssuer } from '../../accounts/issuer.ts'
import { signInWith } from '../../accounts/sign-in.ts'
import { accountsContract } from '../../contract/accounts.ts'
import { ask, expectProblem } from '../../contract/request.ts'
import { ownServer } from '../../contract/shared-server.ts'
import { nodeServer } from './node-server.ts'

describe('on Node', () => accountsContract({ start: nodeServer, origin: 'local' }))

test('without providers no one can sign in: 501 names the variable to set', async () => {
  const server = await ownServer(nodeServer)
  expect((await ask(server, 'GET', '/sign-in')).json).toEqual({ providers: [] })
  for (const [path, variable] of [
    ['/sign-in/discord', 'SIGN_IN_DISCORD_CLIENT_ID'],
    ['/sign-in/oidc', 'SIGN_IN_OIDC_ISSUER'],
    ['/sign-in/callback', 'PUBLIC_URL'],
  ] as const) {
    const reply = await ask(server, 'GET', path)
    expectProblem(reply, 501, 'unsupported')
    expect(reply.text).toContain(variable)
  }
})

test('two farms of one host on different ports keep their sessions in one browser', async () => {
  const issuer = await startIssuer()
  const fronts = [await openFront(), await openFront()] as const
  onTestFinished(() => {
    issuer.stop()
    for (const front of fronts) front.stop()
  })
  const [meadow, forest] = await Promise.all(
    fronts.map(async (front) => {
      const server = await ownServer(nodeServer, { signIn: signInWith(issuer, front.url) })
      front.passTo(server.url)
      return front.url
    }),
  )
  // Browsers send a cookie to every port of its host.
  const [here, there] = [browser(meadow ?? ''), browser(forest ?? '')]
  const as = async (name: string, one: Browser, before: Browser) => {
    issuer.person = { id: String(name.length), name, groups: [] }
    for (const [cookie, value] of before.cookies) one.cookies.set(cookie, value)
    await one.signIn('oidc')
  }
  await as('Abigail', here, there)
  await as('Sam', there, here)
  for (const [cookie, value] of there.cookies) here.cookies.set(cookie, value)
  expect((await here.fetch('GET', '/keys/own')).json).toMatchObject({ name: 'Abigail' })
  expect((await there.fetch('GET', '/keys/own')).json).toMatchObject({ name: 'Sam' })
  expect((await there.fetch('POST', '/sign-out')).status).toBe(200)
  here.cookies.set('farmgate', there.cookies.get('farmgate') ?? '')
  expect((await here.fetch('GET', '/keys/own')).json).toMatchObject({ name: 'Abigail' })
})

test('on a page with HTTPS the cookies are __Host- and Secure, and changes need the origin of that page', async () => {
  const issuer = await startIssuer()
  onTestFinished(() => issuer.stop())
  const page = 'https://farm.example'
  const server = await ownServer(nodeServer, { signIn: signInWith(issuer, page) })
  const begun = await ask(server, 'GET', '/sign-in/oidc')
  const [attempt = ''] = begun.headers.getSetCookie()
  expect(attempt).toMatch(
    /^__Host-farmgate\.sign-in=[\w-]{43}; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/,
  )
  const back = await ask({ url: '' }, 'GET', begun.headers.get('location') ?? '')
  const path = (back.headers.get('location') ?? '').slice(page.length)
  const ended = await ask(server, 'GET', path, { headers: { Cookie: attempt.split(';')[0] ?? '' } })
  expect(ended.headers.get('location')).toBe(`${page}/`)
  const [session = ''] = ended.headers.getSetCookie()
  expect(session).toMatch(
    /^__Host-farmgate=fs_[\w-]+; Path=\/; Max-Age=34560000; HttpOnly; SameSite=Lax; Secure$/,
  )
  const [Cookie = ''] = session.split(';')
  const signOut = (headers: Record<string, string>) => ask(server, 'POST', '/sign-out', { headers })
  expectProblem(await signOut({ Cookie, Origin: server.url }), 403, 'origin_not_allowed')
  expect((await ask(server, 'GET', '/keys/own', { headers: { Cookie } })).status).toBe(200)
  const plain = Cookie.replace('__Host-', '')
  expect((await ask(server, 'GET', '/keys/own', { headers: { Cookie: plain } })).status).toBe(401)
  expect((await signOut({ Cookie, Origin: page })).status).toBe(200)
})
