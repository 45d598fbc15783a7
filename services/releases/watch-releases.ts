/** Notices that a newer release of farmgate exists (`UPDATE_CHECK`), once a day, over restarts too. */
import * as v from 'valibot'
import type { GameBridge } from '../../handlers/game-bridge.ts'
import type { Stats } from '../../handlers/game-records.ts'
import { replacePrivateFile } from '../../lib/atomic-file.ts'
import type { Clock } from '../../lib/clock.ts'
import { errorCode } from '../../lib/error-code.ts'
import { readSmallFile } from '../../lib/foreign/file.ts'
import { readForeign } from '../../lib/foreign/read.ts'
import type { Log } from '../../lib/log.ts'
import { isOlder } from '../mods/compare-versions.ts'
import type { Resolve } from '../webhooks/receiver-address.ts'
import { findNewest } from './find-newest.ts'

export interface ReleasesParts extends Pick<Clock, 'now'> {
  /** `FARMGATE_RELEASES` */
  readonly feed: string
  /** The version of this program. */
  readonly running: string
  /** The file that keeps the answer between starts. */
  readonly path: string
  readonly resolve: Resolve
  readonly log: Pick<Log, 'info'>
  /** Milliseconds that the answer may take. */
  readonly within?: number
}

const kept = v.object({
  /** Milliseconds since 1970. */
  askedAt: v.number(),
  newest: v.exactOptional(v.string()),
})
type Kept = v.InferOutput<typeof kept>

const day = 86_400_000
const maxBytes = 4096

export type Releases = ReturnType<typeof watchReleases>

export function watchReleases({ feed, running, path, resolve, log, now, within = 20_000 }: ReleasesParts) {
  const closing = new AbortController()
  let state: Kept | undefined
  let looking: Promise<void> | undefined
  const isNewer = (version: string) => isOlder(running, version) === true

  async function look(): Promise<void> {
    state ??= await read(path)
    if (!isDue(state)) return
    // Also in memory, so that a disk that cannot be written is tried again on the next day.
    state = { ...state, askedAt: now() }
    const over = AbortSignal.timeout(within)
    try {
      // Before the request, so that a restart meanwhile does not repeat it.
      await write(path, state)
      const signal = AbortSignal.any([closing.signal, over])
      const newest = await findNewest({ feed, resolve, signal })
      if (isNewer(newest) && newest !== state.newest)
        log.info({ running, newest }, `a newer release of farmgate exists: ${command}`)
      state = { ...state, newest }
      await write(path, state)
    } catch (error) {
      if (closing.signal.aborted) return
      // The error of several addresses has no message.
      const said = (error instanceof Error && error.message) || errorCode(error) || String(error)
      const cause = over.aborted ? `no answer within ${within / 1000} s` : said
      log.info({ cause }, 'the newest release could not be found (FARMGATE_RELEASES)')
    }
  }
  /** A clock that was set back must not postpone it. */
  const isDue = ({ askedAt }: Kept) => Math.abs(now() - askedAt) >= day

  return {
    /** Call it every second. */
    tick(): void {
      if (looking !== undefined || (state !== undefined && !isDue(state))) return
      looking = look().finally(() => {
        looking = undefined
      })
    },
    /** The newer release, if one is known. */
    update(): Stats['update'] {
      const version = state?.newest
      return version !== undefined && isNewer(version) ? { version, command } : undefined
    },
    async close(): Promise<void> {
      closing.abort()
      await looking
    },
  }
}

/** Of the stack's folder (deploy/stack/farmgate). */
const command = './farmgate update'

const read = async (path: string): Promise<Kept> =>
  readForeign(kept, await readSmallFile(path, maxBytes).catch(() => undefined)) ?? {
    askedAt: Number.NEGATIVE_INFINITY,
  }

const write = (path: string, state: Kept): Promise<void> => replacePrivateFile(path, JSON.stringify(state))

/** A game whose statistics name the newer release. */
export const withReleases = <Game extends GameBridge>(
  game: Game,
  { update }: Pick<Releases, 'update'>,
): Game => ({
  ...game,
  async stats() {
    const stats = await game.stats()
    const newer = update()
    return newer === undefined ? stats : { ...stats, update: newer }
  },
})
