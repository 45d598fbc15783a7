import { type Cdn, startCdn } from '../../platform/cdn.ts'
import type { Platform } from '../../platform/platform.ts'
import { gameDepot, sdkDepot } from './games.ts'

const host = 'cache1.steamcontent.test'

/** Makes the stand-in platform offer the small game and the SDK. @returns the content server of both */
export async function serveGame({ content, hosts }: Platform): Promise<Cdn> {
  const [game, sdk] = [gameDepot(), sdkDepot()]
  const cdn = await startCdn([game, sdk])
  content.apps.set(413150, { name: 'Stardew Valley', depot: game })
  content.apps.set(1007, { name: 'Steamworks SDK Redist', depot: sdk })
  content.hosts.push(host)
  hosts.set(host, cdn.host)
  return cdn
}

/** From now on that content server has no HTTPS, for downloads in the process of the tests: their threads do not trust it. */
export const plainContent = ({ content }: Platform) => void content.https.set(host, 'none')
