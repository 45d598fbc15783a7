import type { Clock } from './clock.ts'
import { PlatformError } from './errors.ts'
import type { LobbySettings, PlatformPort } from './platform-port.ts'
import { waitForSession } from './wait-for-session.ts'

/** What the game server says of itself when it wants a lobby. */
interface LobbyRequest {
  /** The game server's own 64-bit id on the relay network. */
  readonly gameServerId: bigint
  readonly protocolVersion: string
  readonly maxMembers: number
}

export interface LobbyKeeper {
  /** @returns the id of a public lobby. @throws PlatformError */
  create(request: LobbyRequest): Promise<bigint>
  /** Adds to the lobby's metadata. @throws PlatformError `NoMatch` when that lobby is gone. */
  setData(id: bigint, metadata: Readonly<Record<string, string>>): Promise<void>
  /** @throws PlatformError `NoMatch` when that lobby is gone. */
  check(id: bigint): Promise<void>
  /** Id of the lobby, undefined when there is none. */
  current(): bigint | undefined
  /** Ends the watching for sessions. */
  close(): void
}

/** How long a request for a lobby waits for a logon that is under way: the game asks once and waits a minute. */
const loginWait = 50_000

interface Lobby {
  readonly id: bigint
  /** Made again by us after a session was lost; the game does not know its id yet. */
  readonly remade: boolean
  /** The session it lives in; it dies with it. */
  readonly session: number
}

/**
 * Keeps the game server's lobby. Steam wants the whole metadata each time, so the whole map is kept here, and a
 * lobby that died with its session is made again with it. One request at a time, in the order they came.
 */
export function lobbyKeeper(
  platform: PlatformPort,
  clock: Clock,
  warn: (sentence: string) => void,
): LobbyKeeper {
  let settings: LobbySettings | undefined
  let lobby: Lobby | undefined
  let queue: Promise<unknown> = Promise.resolve()

  function inTurn<T>(task: () => Promise<T>): Promise<T> {
    const turn = queue.then(task)
    queue = turn.catch(() => undefined)
    return turn
  }

  function alive(): Lobby | undefined {
    const { phase, session } = platform.state()
    return lobby && phase === 'logged_on' && lobby.session === session ? lobby : undefined
  }

  async function make(wanted: LobbySettings, remade: boolean): Promise<Lobby> {
    const { session } = platform.state()
    const id = await platform.createLobby(wanted)
    lobby = { id, remade, session }
    return lobby
  }

  function matching(id: bigint): Lobby {
    const found = alive()
    if (found?.id !== id) throw noMatch()
    return found
  }

  /** @returns false when Steam has lost that lobby, too. */
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
    if (state.phase !== 'logged_on' || !settings || alive()) return
    inTurn(async () => {
      if (settings && !alive() && platform.state().phase === 'logged_on') await make(settings, true)
    }).catch((error: unknown) => warn(`The lobby could not be made again: ${String(error)}`))
  })

  return {
    current: () => alive()?.id,
    close: stop,
    async create(request) {
      if (!(await waitForSession(platform, loginWait, clock))) throw new PlatformError('not_logged_in')
      return inTurn(async () => {
        const old = alive()
        const kept = old?.remade || !old ? settings?.metadata : undefined
        const wanted = { maxMembers: request.maxMembers, metadata: { ...kept, ...baseMetadata(request) } }
        settings = wanted
        if (old?.remade && (await update(old.id, wanted))) {
          lobby = { ...old, remade: false }
          return old.id
        }
        const made = await make(wanted, false)
        // A new game server run has no use for the last one's lobby; left alone it would stay listed.
        if (old && !old.remade) await platform.leaveLobby(old.id).catch(() => undefined)
        return made.id
      })
    },
    setData: (id, metadata) =>
      inTurn(async () => {
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

/** Address and port 0 make clients go by the id, over the relay network. */
function baseMetadata({ gameServerId, protocolVersion }: LobbyRequest): Record<string, string> {
  return {
    protocolVersion,
    __gameserverIP: '0',
    __gameserverPort: '0',
    __gameserverSteamID: String(gameServerId),
  }
}
