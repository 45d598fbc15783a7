/**
 * `/docs`, `/openapi.json` and the like are the same for every farm: the Worker answers them without waking an object.
 */
import { linkedGame } from '../../bridges/linked/edge-end/linked-game.ts'
import { openToAll } from '../../lib/keys.ts'
import { dashboardPage } from '../documents/dashboard-pages.ts'
import { documentPages, type PageFiles } from '../documents/pages.ts'
import type { Answer } from '../http/answer.ts'
import { createRouter } from '../router.ts'
import { edgeCaller } from './caller.ts'
import { configOf } from './config.ts'
import { edgeApi } from './edge-api.ts'
import type { EdgeEnv } from './env.ts'
import { edgeLog } from './log.ts'

export type Documents = ReturnType<typeof documentsOf>

export function documentsOf(env: EdgeEnv) {
  const config = configOf(env)
  const log = edgeLog(env.LOG_LEVEL)
  for (const problem of config.problems) log.error(problem, 'a variable of the Worker is wrong and not used')
  const files = assetsOf(env)
  const pages = documentPages(files)
  const game = linkedGame({ store: emptyStore, isResumed: false, now: Date.now, firstCall: 1 })
  const api = edgeApi({ game, config, keys: openToAll, page: noPage, pages, log })
  const upgrade = () => new Response(null, { status: 404 })
  const app = createRouter(api, { caller: edgeCaller, upgrade })
  return {
    has: (path: string): boolean => pages.has(path) || pages.has(path.replace(/[^/]+$/, ':file')),
    app,
    /** The page for the holder of the fleet key, at `/fleet/`. */
    fleet: (): Promise<Answer> => dashboardPage(files.dashboard, 'fleet/index.html'),
  }
}

/** No one signs in to a document. */
const noPage = { origin: () => undefined, cookie: '' }

/** The router needs a game, but no document calls it: this one has never been linked and stores nothing. */
const emptyStore = {
  stored: () => ({ at: 0, healthAt: 0 }),
  keepStatus() {},
  keepHealth() {},
  flush() {},
  follow: () => ({ heard: 0, newest: 0 }),
  addLine: () => [],
  addOutage: () => [],
  newest: () => 0,
  keepChat() {},
}

/** Static assets, as `collect-assets.ts` has copied them. */
function assetsOf(env: EdgeEnv): PageFiles {
  const asset = async (path: string) => {
    const response = await env.ASSETS.fetch(`https://assets.internal/${path}`)
    const content = new Uint8Array(await response.arrayBuffer())
    return response.ok ? content : undefined
  }
  return {
    viewer: async (name) => (await asset(`docs/${name}`)) ?? new Uint8Array(),
    dashboard: (name) => asset(`dashboard/${name}`),
    generated: async (name) => new TextDecoder().decode(await asset(`docs/${name}`)),
  }
}
