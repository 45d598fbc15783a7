import { afterAll, beforeAll, expect, test } from 'vitest'
import { keepAll } from '../../../ticket/depot/filter.ts'
import { install } from '../../../ticket/depot/install.ts'
import { steamPlatform } from '../../../ticket/depot/steam-platform.ts'
import { makeDepot } from '../../platform/depots.ts'
import { seededBytes } from '../../platform/seeded.ts'
import { contentServer, contextOf, GAME, temporaryDirectory, tree, treeOf } from './farm.ts'
import { loggedOn } from './logged-on.ts'

let on: Awaited<ReturnType<typeof loggedOn>>
beforeAll(async () => {
  on = await loggedOn()
})
afterAll(() => on.close())

test('the platform library is asked only for product data, manifests, keys and servers; the proxy carries the rest', async () => {
  const depot = makeDepot({ files: [{ path: 'Stardew Valley', content: seededBytes(1, 1_500_000) }] })
  const { platform, client } = on
  const cdn = await contentServer(depot)
  cdn.knobs.token = platform.content.token
  platform.content.apps.set(GAME, { name: 'Stardew Valley', depot })
  platform.content.hosts.push('cache1.steamcontent.test', 'cache2.steamcontent.test')
  platform.content.onlyFor.set('cache2.steamcontent.test', [730])
  platform.hosts.set('cache1.steamcontent.test', cdn.host)
  const directory = temporaryDirectory()
  const { context, close } = contextOf(steamPlatform(client), {}, platform.proxyUrl)
  await install({ appId: GAME, directory, filter: keepAll, onPlan: () => undefined }, context).finally(close)
  expect(tree(directory)).toEqual(treeOf(depot))
  expect(new Set(platform.proxied)).toEqual(new Set(['cache1.steamcontent.test']))
  expect(platform.count('ClientGetCDNAuthToken')).toBe(1)
})

test('an app that the account does not own is refused', async () => {
  const depot = makeDepot({ files: [] })
  const { platform, client } = on
  platform.content.apps.set(GAME, { name: 'Stardew Valley', depot })
  platform.content.notOwned.add(GAME)
  const port = steamPlatform(client)
  await expect(port.checkOwned(GAME)).rejects.toMatchObject({ problem: 'not-owned' })
  await expect(port.depotKey(GAME, depot.depotId)).rejects.toMatchObject({ problem: 'not-owned' })
})

test('a silent platform ends in words, not in an hour', async () => {
  const { platform, client } = on
  platform.knobs.silent.add('ClientPICSProductInfoRequest')
  await expect(steamPlatform(client, 50).depotVersion(GAME)).rejects.toThrow(
    /product data: no answer in time/,
  )
})
