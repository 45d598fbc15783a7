import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import type { FarmLink } from '../../bridges/linked/farm-end/dial.ts'
import { browser } from '../accounts/browser.ts'
import { type Issuer, startIssuer } from '../accounts/issuer.ts'
import { signInWith } from '../accounts/sign-in.ts'
import { accountsContract } from '../contract/accounts.ts'
import { ask, expectProblem } from '../contract/request.ts'
import { accountsOf } from '../records/memory-accounts.ts'
import { eventually } from '../wait.ts'
import { type Edge, startEdge } from './edge.ts'
import { edgeServer, fleetKey } from './edge-server.ts'
import { fleetFarm } from './linked-farm.ts'

describe('at the edge', () => accountsContract({ start: edgeServer, origin: 'edge' }))

describe('an edge with several farms', () => {
  let edge: Edge
  let issuer: Issuer
  const links = new Map<string, FarmLink>()
  beforeAll(async () => {
    issuer = await startIssuer()
    edge = await startEdge(inject('edgeBundle'), { FLEET_KEY: fleetKey })
  })
  afterAll(async () => {
    issuer.stop()
    await edge.stop()
  })

  /** A linked farm of the fleet where people sign in. @returns the address of its page */
  async function aFarm(name: string) {
    const { url, link } = await fleetFarm(edge.url, name, (records, own) => ({
      accounts: accountsOf(records, signInWith(issuer, own)),
    }))
    links.set(url, link)
    return url
  }

  test('has a callback address and a cookie for each of them: the code of one farm never reaches another', async () => {
    const [meadow, forest] = [await aFarm('meadow'), await aFarm('forest')]
    const one = browser(meadow)
    const page = await one.begin('discord')
    expect(new URL(page).searchParams.get('redirect_uri')).toBe(`${meadow}/sign-in/callback`)
    expect(await one.signIn('discord', '/#session')).toBe(`${meadow}/#session`)
    expect([...one.cookies.keys()]).toContain('farmgate-meadow')
    expect((await one.fetch('GET', '/keys/own')).json).toMatchObject({ account: { name: 'Robin' } })
    const other = browser(forest)
    for (const [name, value] of one.cookies) other.cookies.set(name, value)
    other.secret = one.secret
    expectProblem(await other.fetch('GET', '/keys/own'), 401, 'unauthorized')
    await other.signIn('oidc')
    expect((await other.fetch('GET', '/keys/own')).json).toMatchObject({ account: { provider: 'oidc' } })
  })

  test('removes the cookie at sign-out also while the farm is offline, and says that the session may be open still', async () => {
    const river = await aFarm('river')
    const one = browser(river)
    await one.signIn('oidc')
    await links.get(river)?.close()
    await eventually(async () => expect((await ask({ url: river }, 'GET', '/status')).status).toBe(503))
    const reply = await one.fetch('POST', '/sign-out')
    expectProblem(reply, 503, 'game_unavailable')
    expect(reply.json).toMatchObject({ error: expect.stringContaining('This browser is signed out') })
    expect(one.cookies.has('farmgate-river')).toBe(false)
  })

  test('refuses a state of one farm at another', async () => {
    const [hill, valley] = [await aFarm('hill'), await aFarm('valley')]
    const one = browser(hill)
    const back = await ask({ url: '' }, 'GET', await one.begin('oidc'))
    const callback = new URL(back.headers.get('location') ?? '')
    await browser(valley).begin('oidc')
    callback.pathname = new URL(`${valley}/sign-in/callback`).pathname
    const refused = await ask({ url: '' }, 'GET', callback.href, { headers: { Cookie: one.cookie } })
    expect([refused.headers.getSetCookie(), refused.headers.get('location')]).toEqual([
      [],
      `${valley}/#sign-in=expired`,
    ])
  })
})
