import { describe, expect, onTestFinished, test } from 'vitest'
import { type Browser, browser } from '../../accounts/browser.ts'
import { openFront } from '../../accounts/front.ts'
import { startIssuer } from '../../accounts/issuer.ts'
import { signInWith } from '../../accounts/sign-in.ts'
import { accountsContract } from '../../contract/accounts.ts'
import { ownServer } from '../../contract/shared-server.ts'
import { nodeServer } from './node-server.ts'

describe('on Node', () => accountsContract({ start: nodeServer, origin: 'local' }))

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
