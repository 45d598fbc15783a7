import { backOff } from '../lib/back-off.ts'
import { type Clock, sleep } from '../lib/clock.ts'
import { oneAtATime } from '../lib/one-at-a-time.ts'
import { PlatformError } from './errors.ts'
import { baseMetadata, type LobbyRequest, mergeMetadata } from './lobby-metadata.ts'
import type { LobbySettings, PlatformPort } from './platform-port.ts'
import { waitForSession } from './wait-for-session.ts'

export type LobbyKeeper = ReturnType<typeof lobbyKeeper>

/** Milliseconds for a logon in progress and for a busy Steam. The game asks for a lobby once and waits a minute. */
const createWait = 50_000
/** Waits between attempts to make a lobby. */
const retryDelays = { first: 1000, max: 300_000 }
/** Shortest wait after a rate limit, in milliseconds. */
const rateLimitPause = 60_000
/** Results of Steam after which the same request may soon succeed. */
const busyResults = new Set(['Busy', 'ServiceUnavailable', 'Timeout', 'TryAnotherCM'])

interface Lobby {
  readonly id: bigint
  /** True when this service created it after a lost session; the game has not received its id yet. */
  readonly recreated: boolean
  /** Number of the session that created it. Steam removes the lobby when that session ends. */
  readonly session: number
}

/**
 * Keeps the game server's lobby. An update must send all metadata to Steam, so the whole map is stored here. After a
 * lost session, the lobby is created again with that map. Requests run one at a time, in the order they arrived.
 */
export function lobbyKeeper(platform: PlatformPort, clock: Clock, warn: (sentence: string) => void) {
  let settings: LobbySettings | undefined
  let lobby: Lobby | undefined
  const enqueue = oneAtATime().run
  const closed = new AbortController()
  // Number of the session in which the lobby is being made again.
  let remaking: number | undefined

  function currentLobby(): Lobby | undefined {
    const { phase, session } = platform.state()
    return lobby && phase === 'logged_on' && lobby.session === session ? lobby : undefined
  }

  async function make(wanted: LobbySettings, recreated: boolean): Promise<Lobby> {
    const id = await platform.createLobby(wanted)
    // Read after the answer: when the session was lost meanwhile, the answer comes from the next one.
    lobby = { id, recreated, session: platform.state().session }
    return lobby
  }

  function matching(id: bigint): Lobby {
    const found = currentLobby()
    if (found?.id !== id) throw noMatch()
    return found
  }

  /** @returns false when Steam answers that the lobby does not exist. */
  async function update(id: bigint, wanted: LobbySettings): Promise<boolean> {
    try {
      await platform.setLobby(id, wanted)
      return true
    } catch (error) {
      if (!(error instanceof PlatformError) || error.result !== 'NoMatch') throw error
      lobby = undefined
      return false
    }
  }

  async function createNow(request: LobbyRequest): Promise<bigint> {
    const old = currentLobby()
    const kept = old?.recreated || !old ? settings?.metadata : undefined
    const wanted = { maxMembers: request.maxMembers, metadata: { ...kept, ...baseMetadata(request) } }
    settings = wanted
    if (old?.recreated && (await update(old.id, wanted))) {
      lobby = { ...old, recreated: false }
      return old.id
    }
    const made = await make(wanted, false)
    // The game server has restarted. Its previous lobby would stay listed until the session ends.
    if (old && !old.recreated) await platform.leaveLobby(old.id).catch(() => undefined)
    return made.id
  }

  const isOn = (session: number) =>
    !closed.signal.aborted && platform.state().phase === 'logged_on' && platform.state().session === session

  /** Makes the lobby again, with back-off, until there is one or the session ends. */
  async function remake(session: number): Promise<void> {
    for (let failures = 1; isOn(session); failures += 1) {
      try {
        return await enqueue(async () => {
          if (settings && !currentLobby() && isOn(session)) await make(settings, true)
        })
      } catch (error) {
        if (!isOn(session)) return
        const rateLimited = error instanceof PlatformError && error.kind === 'rate_limited'
        const delay = Math.max(
          backOff(retryDelays, failures, clock.random()),
          rateLimited ? rateLimitPause : 0,
        )
        const reason = error instanceof Error ? error.message : String(error)
        warn(`The lobby could not be made again: ${reason}. Next try in ${Math.ceil(delay / 1000)} s`)
        await sleep(clock, delay, closed.signal).catch(() => undefined)
      }
    }
  }

  const stop = platform.onChange(({ phase, session }) => {
    if (phase !== 'logged_on' || !settings || currentLobby() || remaking === session) return
    remaking = session
    void remake(session).finally(() => {
      if (remaking === session) remaking = undefined
    })
  })

  return {
    /** Id of the current lobby; undefined when there is none. */
    current: () => currentLobby()?.id,
    /** Stops listening for new sessions. */
    close() {
      stop()
      closed.abort()
    },
    /** @returns the id of a public lobby. @throws PlatformError */
    async create(request: LobbyRequest): Promise<bigint> {
      const until = clock.monotonic() + createWait
      for (let failures = 1; ; failures += 1) {
        const left = Math.max(until - clock.monotonic(), 0)
        if (!(await waitForSession(platform, left, clock))) throw new PlatformError('not_logged_in')
        try {
          return await enqueue(() => createNow(request))
        } catch (error) {
          const delay = backOff(retryDelays, failures, clock.random())
          if (!isBusy(error) || clock.monotonic() + delay > until) throw error
          await sleep(clock, delay, closed.signal)
        }
      }
    },
    /**
     * Merges these keys into the lobby's metadata.
     * @throws PlatformError `NoMatch` when that lobby no longer exists; MetadataTooLarge
     */
    setData: (id: bigint, metadata: Readonly<Record<string, string>>) =>
      enqueue(async () => {
        matching(id)
        const wanted = {
          maxMembers: settings?.maxMembers ?? 0,
          metadata: mergeMetadata(settings?.metadata, metadata),
        }
        settings = wanted
        if (!(await update(id, wanted))) throw noMatch()
      }),
    /** Does nothing while the lobby exists. @throws PlatformError `NoMatch` when it does not. */
    check: async (id: bigint) => void matching(id),
  }
}

function noMatch(): PlatformError {
  return new PlatformError('refused', 'NoMatch')
}

function isBusy(error: unknown): boolean {
  return error instanceof PlatformError && error.result !== undefined && busyResults.has(error.result)
}
