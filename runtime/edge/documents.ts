/** `/docs`, `/openapi.json` and the like are the same for every farm: the Worker answers them without waking an object. */
import { linkedGame } from '../bridges/linked/linked-game.ts'
import { documentPages, type ViewerAsset } from '../documents/pages.ts'
import { openToAll } from '../http/keys.ts'
import { edgeApi } from './edge-api.ts'
import type { EdgeEnv } from './env.ts'
import { edgeLog } from './log.ts'
import { settingsOf } from './settings.ts'

const now = () => Date.now()

export interface Documents {
  has(path: string): boolean
  readonly app: { fetch(request: Request): Response | Promise<Response> }
}

export function documentsOf(env: EdgeEnv): Documents {
  const settings = settingsOf(env)
  const log = edgeLog(env.LOG_LEVEL)
  for (const problem of settings.problems)
    log.error(problem, 'a variable of the Worker is wrong and not used')
  const pages = documentPages((name) => viewerAsset(env, name))
  const game = linkedGame({ store: emptyStore, isResumed: false, now, firstCall: 1 })
  const { gate, router } = edgeApi({
    game,
    keys: openToAll,
    settings,
    log,
    listening: () => 0,
    now,
    monotonic: () => performance.now(),
  })
  const app = router({
    gate,
    publicInviteCodes: false,
    pages,
    hear() {},
    upgrade: () => new Response(null, { status: 404 }),
  })
  return { has: (path) => pages.has(path), app }
}

/** The router needs a game, but no document asks it anything: this one has never been linked and stores nothing. */
const emptyStore = {
  stored: () => ({ at: 0, healthAt: 0 }),
  keepStatus() {},
  keepHealth() {},
  flush() {},
  heard: () => 0,
  keepHeard() {},
}

async function viewerAsset(env: EdgeEnv, name: ViewerAsset): Promise<Uint8Array<ArrayBuffer>> {
  const response = await env.ASSETS.fetch(`https://assets.internal/docs/${name}`)
  return new Uint8Array(await response.arrayBuffer())
}
