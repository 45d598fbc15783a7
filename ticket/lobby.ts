import type { Clock } from './clock.ts'
import { PlatformError } from './errors.ts'
import type { LobbySettings, PlatformPort } from './platform-port.ts'
import { waitForSession } from './wait-for-session.ts'

/** What the game server sends when it asks for a lobby. */
interface LobbyRequest {
  /** The game server's own 64-bit id on the relay network. */
  readonly gameServerId: bigint
  readonly protocolVersion: string
  readonly maxMembers: number
}

export interface LobbyKeeper {
  /** @returns the id of a public lobby. @throws PlatformError */
  create(request: LobbyRequest): Promise<bigint>
  /** Merges these keys into the lobby's metadata. @throws PlatformError `NoMatch` when that lobby no longer exists. */
  setData(id: bigint, metadata: Readonly<Record<string, string>>): Promise<void>
  /** Does nothing while the lobby exists. @throws PlatformError `NoMatch` when it does not. */
  check(id: bigint): Promise<void>
  /** Id of the current lobby; undefined when there is none. */
  current(): bigint | undefined
  /** Stops listening for new sessions. */
  close(): void
}

/** Milliseconds that a request for a lobby waits for a logon in progress. The game asks once and waits a minute. */
const loginWait = 50_000

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
export function lobbyKeeper(
  platform: PlatformPort,
  clock: Clock,
  warn: (sentence: string) => void,
): LobbyKeeper {
  let settings: LobbySettings | undefined
  let lobby: Lobby | undefined
  let queue: Promise<unknown> = Promise.resolve()

  function enqueue<T>(task: () => Promise<T>): Promise<T> {
    const turn = queue.then(task)
    queue = turn.catch(() => undefined)
    return turn
  }

  function currentLobby(): Lobby | undefined {
    const { phase, session } = platform.state()
    return lobby && phase === 'logged_on' && lobby.session === session ? lobby : undefined
  }

  async function make(wanted: LobbySettings, recreated: boolean): Promise<Lobby> {
    const { session } = platform.state()
    const id = await platform.createLobby(wanted)
    lobby = { id, recreated, session }
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

  const stop = platform.onChange((state) => {
    if (state.phase !== 'logged_on' || !settings || currentLobby()) return
    enqueue(async () => {
      if (settings && !currentLobby() && platform.state().phase === 'logged_on') await make(settings, true)
    }).catch((error: unknown) => warn(`The lobby could not be made again: ${String(error)}`))
  })

  return {
    current: () => currentLobby()?.id,
    close: stop,
    async create(request) {
      if (!(await waitForSession(platform, loginWait, clock))) throw new PlatformError('not_logged_in')
      return enqueue(async () => {
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
      })
    },
    setData: (id, metadata) =>
      enqueue(async () => {
        matching(id)
        const wanted = {
          maxMembers: settings?.maxMembers ?? 0,
          metadata: { ...settings?.metadata, ...metadata },
        }
        settings = wanted
        if (!(await update(id, wanted))) throw noMatch()
      }),
    check: async (id) => void matching(id),
  }
}

function noMatch(): PlatformError {
  return new PlatformError('refused', 'NoMatch')
}

/** With address and port 0, clients connect by the game server id over the relay network. */
function baseMetadata({ gameServerId, protocolVersion }: LobbyRequest): Record<string, string> {
  return {
    protocolVersion,
    __gameserverIP: '0',
    __gameserverPort: '0',
    __gameserverSteamID: String(gameServerId),
  }
}
