import { createRequire } from 'node:module'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import type SteamUser from 'steam-user'
import type { DepotClient } from '../../../ticket/steam-user.ts'
import { type Platform, startPlatform } from '../../platform/platform.ts'

const require = createRequire(import.meta.url)

/** Steam's stand-in, and the real library logged on to it. One per file: each has its own certificate. */
export async function loggedOn(): Promise<{
  platform: Platform
  client: DepotClient
  close: () => Promise<void>
}> {
  const platform = await startPlatform()
  setDefaultCACertificates([...getCACertificates('default'), platform.certificate])
  const account = platform.book.add({
    name: 'junimo',
    password: 'secret',
    steamId: '76561198000000001',
    code: 'ABCDE',
    email: 'j***@example.com',
  })
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
      await platform.close()
    },
  }
}
