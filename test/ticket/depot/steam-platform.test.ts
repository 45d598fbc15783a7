import { createRequire } from 'node:module'
import type SteamUser from 'steam-user'
import { afterAll, expect, test } from 'vitest'
import { install } from '../../../ticket/depot/install/install.ts'
import { keepAll } from '../../../ticket/depot/plan/filter.ts'
import type { ContentServer } from '../../../ticket/depot/platform.ts'
import { steamPlatform } from '../../../ticket/depot/steam-platform.ts'
import type { DepotClient } from '../../../ticket/steam-user.ts'
import type { Cdn } from '../../platform/cdn.ts'
import { depotPlatform, server } from '../../platform/depot-platform.ts'
import { makeDepot } from '../../platform/depots.ts'
import { seededBytes } from '../../platform/seeded.ts'
import { eventually } from '../../wait.ts'
import { makeSetting } from '../setting.ts'
import { contentServer, contextOf, GAME, newFolder, tree, treeOf } from './farm.ts'

const require = createRequire(import.meta.url)

/** Steam's stand-in, and the real library logged on to it. */
async function loggedOn() {
  const { platform, account, close } = await makeSetting()
  const Client: typeof SteamUser = require('steam-user')
  const client = new Client({
    dataDirectory: null,
    autoRelogin: false,
    httpProxy: platform.proxyUrl,
    protocol: 2,
  })
  await new Promise<void>((resolve, reject) => {
    client.once('loggedOn', () => resolve())
    client.on('error', reject)
    client.logOn({ refreshToken: platform.token(account) })
  })
  // The types lack every method that a download needs; the port checks their answers.
  return {
    platform,
    client: client as unknown as DepotClient,
    async close() {
      client.logOff()
      await close()
    },
  }
}
const stillOn = new AbortController().signal
const on = await loggedOn()
afterAll(() => on.close())

test('the Steam library is used only for product data, manifests, keys and servers; everything else goes through the proxy', async () => {
  const depot = makeDepot({ files: [{ path: 'Stardew Valley', content: seededBytes(1, 1_500_000) }] })
  const { platform, client } = on
  const cdn = await contentServer(depot)
  cdn.knobs.token = platform.content.token
  platform.content.apps.set(GAME, { name: 'Stardew Valley', depot })
  platform.content.hosts.push('cache1.steamcontent.test', 'cache2.steamcontent.test')
  platform.content.onlyFor.set('cache2.steamcontent.test', [730])
  platform.hosts.set('cache1.steamcontent.test', cdn.host)
  const directory = newFolder()
  const { context, close } = contextOf(steamPlatform(client, stillOn), {}, platform.proxyUrl)
  await install(
    { appId: GAME, root: { directory, folder: '' }, filter: keepAll, onPlan: () => undefined },
    context,
  ).finally(close)
  expect(tree(directory)).toEqual(treeOf(depot))
  expect(new Set(platform.proxied)).toEqual(new Set(['cache1.steamcontent.test']))
  expect(platform.count('ClientGetCDNAuthToken')).toBe(1)
  // Steam says that HTTPS is optional for this server.
  expect(cdn.requests.every(({ kind, secure }) => secure === (kind === 'manifest'))).toBe(true)
})

test('the manifest comes by HTTPS from a server that offers it; chunks do only where HTTPS is required, through the proxy too', async () => {
  const asked = async (https: ContentServer['https']): Promise<object> => {
    const { cdn, download } = await offering('cache.steamcontent.test', https)
    await download()
    return Object.fromEntries(cdn.requests.map(({ kind, secure }) => [kind, secure]))
  }
  expect(await asked('optional')).toEqual({ manifest: true, chunk: false })
  expect(await asked('mandatory')).toEqual({ manifest: true, chunk: true })
  expect(await asked('none')).toEqual({ manifest: false, chunk: false })
})

test('a manifest that HTTPS could not fetch is not fetched by plain HTTP, and the error explains the fault of the certificate', async () => {
  const { cdn, download } = await offering('cache.elsewhere.test', 'optional')
  await expect(download()).rejects.toThrow(
    'the certificate is not accepted (ERR_TLS_CERT_ALTNAME_INVALID): it is for another name',
  )
  expect(cdn.requests).toEqual([])
})

/** A content server that is reached under a name, through the proxy. */
async function offering(
  name: string,
  https: ContentServer['https'],
): Promise<{ cdn: Cdn; download: () => Promise<void> }> {
  const depot = makeDepot({ files: [{ path: 'a', content: seededBytes(1, 50_000) }] })
  const cdn = await contentServer(depot)
  on.platform.hosts.set(name, cdn.host)
  const platform = depotPlatform({ [GAME]: depot }, [])
  platform.servers = [{ ...server(name), https }]
  return {
    cdn,
    async download() {
      const directory = newFolder()
      const { context, close } = contextOf(platform, {}, on.platform.proxyUrl)
      const root = { directory, folder: '' }
      const request = { appId: GAME, root, filter: keepAll, onPlan: () => undefined }
      await install(request, context).finally(close)
      expect(tree(directory)).toEqual(treeOf(depot))
    },
  }
}

test('an app that the account does not own is refused', async () => {
  const depot = makeDepot({ files: [] })
  const { platform, client } = on
  platform.content.apps.set(GAME, { name: 'Stardew Valley', depot })
  platform.content.notOwned.add(GAME)
  const port = steamPlatform(client, stillOn)
  await expect(port.rejectIfNotOwned(GAME)).rejects.toMatchObject({ kind: 'not_owned' })
  await expect(port.depotKey(GAME, depot.depotId)).rejects.toMatchObject({ kind: 'not_owned' })
})

test('the error for an unknown app names the app and its variable', async () => {
  const question = steamPlatform(on.client, stillOn).depotVersion(12)
  await expect(question).rejects.toThrow('Steam knows no app 12 that has files; check PLATFORM_APP_ID')
})

test('a request that Steam does not answer ends with an error message after a time limit', async () => {
  const { platform, client } = on
  platform.knobs.silent.add('ClientPICSProductInfoRequest')
  await expect(steamPlatform(client, stillOn, 50).depotVersion(GAME)).rejects.toThrow(
    /product data: no answer in time/,
  )
})

test('a request that Steam has not answered ends with the session, and no further one is sent', async () => {
  const { platform, client } = on
  const before = platform.count('ClientPICSProductInfoRequest')
  platform.knobs.silent.add('ClientPICSProductInfoRequest')
  const session = new AbortController()
  const failed = expect(steamPlatform(client, session.signal).depotVersion(GAME)).rejects.toMatchObject({
    kind: 'platform',
    message: 'Steam did not give the product data: closed',
  })
  await eventually(() => platform.count('ClientPICSProductInfoRequest') > before)
  session.abort(new Error('closed'))
  await failed
  expect(platform.count('ClientPICSProductInfoRequest')).toBe(before + 1)
})
