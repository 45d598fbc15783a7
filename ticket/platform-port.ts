import type { DownloadStatus } from './download-port.ts'

/** How far the session is: the library is loading, a logon is under way, on, waiting for the next try, or a person must act. */
type SessionPhase = 'starting' | 'logging_on' | 'logged_on' | 'waiting' | 'login_needed'

/** What is known of the session with Steam. Plain data, sent across threads. */
export interface SessionState {
  readonly phase: SessionPhase
  /** The account, a decimal 64-bit id; undefined while not logged on. */
  readonly steamId: string | undefined
  /** Why there is no session, for the operator; undefined when there is. */
  readonly reason: string | undefined
  /** When the next try begins, in milliseconds since 1970; only in `waiting`. */
  readonly retryAt: number | undefined
  /** Whole days until the token ends, by Steam's clock; undefined when unknown. */
  readonly tokenDaysLeft: number | undefined
  /** How many logons have succeeded. Tells one session from the next. */
  readonly session: number
}

/** An encrypted app ticket: the bytes of the EncryptedAppTicket message as Steam made it. */
export interface AppTicket {
  readonly bytes: Uint8Array
  readonly steamId: string
}

/** All that Steam is told of a lobby; it replaces what was there. */
export interface LobbySettings {
  readonly maxMembers: number
  readonly metadata: Readonly<Record<string, string>>
}

/**
 * What the HTTP side may ask of the session side. No method logs on: the session is kept by itself, and a request
 * without one is a PlatformError `not_logged_in` at once. Lobby ids are 64-bit.
 */
export interface PlatformPort {
  state(): SessionState
  /** Calls the listener at every change. @returns a function that ends it. */
  onChange(listener: (state: SessionState) => void): () => void
  downloadStatus(): DownloadStatus
  requestTicket(): Promise<AppTicket>
  createLobby(settings: LobbySettings): Promise<bigint>
  setLobby(id: bigint, settings: LobbySettings): Promise<void>
  leaveLobby(id: bigint): Promise<void>
  close(): Promise<void>
}

/** The state before anything has happened. */
export const initialState: SessionState = {
  phase: 'starting',
  steamId: undefined,
  reason: 'the service is starting',
  retryAt: undefined,
  tokenDaysLeft: undefined,
  session: 0,
}
