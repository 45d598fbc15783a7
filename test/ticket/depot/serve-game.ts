import { type Cdn, startCdn } from '../../platform/cdn.ts'
import type { Platform } from '../../platform/platform.ts'
import { gameDepot, sdkDepot } from './games.ts'

/** Makes the stand-in platform offer the small game and the SDK. @returns the content server of both */
export async function serveGame({ content, hosts }: Platform): Promise<Cdn> {
  const [game, sdk] = [gameDepot(), sdkDepot()]
  const cdn = await startCdn([game, sdk])
  content.apps.set(413150, { name: 'Stardew Valley', depot: game })
  content.apps.set(1007, { name: 'Steamworks SDK Redist', depot: sdk })
  content.hosts.push('cache1.steamcontent.test')
  hosts.set('cache1.steamcontent.test', cdn.host)
  return cdn
}
