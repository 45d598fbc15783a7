/** Sign-in with a real process: its environment, and sessions over a restart. */
import { join } from 'node:path'
import { inspect } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { browser } from '../../accounts/browser.ts'
import { openFront } from '../../accounts/front.ts'
import { client, startIssuer } from '../../accounts/issuer.ts'
import { ask } from '../../contract/request.ts'
import { newFolder } from '../../new-folder.ts'
import { serving } from './farmgate-process.ts'
import { openedFarm } from './open-farm.ts'

const key = 'accounts-accounts-accounts'

async function aFarm() {
  const issuer = await startIssuer()
  const front = await openFront()
  onTestFinished(() => {
    front.stop()
    issuer.stop()
  })
  const env = {
    API_KEY: key,
    DATA_DIR: join(newFolder(), 'data'),
    PUBLIC_URL: front.url,
    SIGN_IN_OIDC_ISSUER: issuer.url,
    SIGN_IN_OIDC_CLIENT_ID: client.id,
    SIGN_IN_OIDC_CLIENT_SECRET: client.secret,
    SIGN_IN_DISCORD_CLIENT_ID: client.id,
    SIGN_IN_DISCORD_CLIENT_SECRET: client.secret,
    DISCORD_API_URL: issuer.discordUrl,
  }
  const passTo = <Farm extends { readonly url: string }>(started: Farm) => {
    front.passTo(started.url)
    return started
  }
  return {
    issuer,
    page: front.url,
    open: async () => passTo(await openedFarm(env)),
    start: async () => passTo(await serving(env)),
  }
}

test('people stay signed in when farmgate is killed and starts again, and no log contains a secret', async () => {
  const { page, open, start } = await aFarm()
  const killed = await start()
  const one = browser(page)
  await one.signIn('oidc')
  await browser(page).signIn('discord')
  killed.signal('SIGKILL')
  await killed.exited
  const second = await open()
  expect((await one.fetch('GET', '/keys/own')).json).toMatchObject({ account: { name: 'Robin' } })
  const cookie = one.cookies.get('farmgate') ?? ''
  expect((await one.fetch('POST', '/sign-out')).status).toBe(200)
  await second.stop()
  for (const log of [
    killed.stdout() + killed.stderr(),
    inspect(second.log, { depth: Number.POSITIVE_INFINITY }),
  ])
    for (const secret of [cookie, client.secret, 'an access token', 'code1'])
      expect(log).not.toContain(secret)
})

test('an issuer that is down does not prevent the start: sign-in is 502 until it is back', async () => {
  const { issuer, page, open } = await aFarm()
  issuer.instead = (_path, response) => Boolean(response.destroy())
  await open()
  expect((await ask({ url: page }, 'GET', '/sign-in/oidc')).status).toBe(502)
  issuer.reset()
  await browser(page).signIn('oidc')
})
