import type { DownloadStatus } from './download-port.ts'

/** How far the session is: the library is loading, a logon is under way, on, waiting for the next try, or a person must act. */
type SessionPhase = 'starting' | 'logging_on' | 'logged_on' | 'waiting' | 'login_needed'

/** What is known of the session with the platform. Plain data, sent across threads. */
export interface SessionState {
  readonly phase: SessionPhase
  /** The account, a decimal 64-bit id; null while not logged on. */
  readonly steamId: string | null
  /** Why there is no session, for the operator; null when there is. */
  readonly reason: string | null
  /** When the next try begins, in milliseconds since 1970; only in `waiting`. */
  readonly retryAt: number | null
  /** Whole days until the token ends, by the platform's clock; null when unknown. */
  readonly tokenDaysLeft: number | null
  /** How many logons have succeeded. Tells one session from the next. */
  readonly session: number
}

/** An encrypted app ticket: the bytes of the EncryptedAppTicket message as the platform made it. */
export interface AppTicket {
  readonly bytes: Uint8Array
  readonly steamId: string
}

/** All that the platform is told of a lobby; it replaces what was there. */
export interface LobbySettings {
  readonly maxMembers: number
  readonly metadata: Readonly<Record<string, string>>
}

/** Why the platform did not do what it was asked. */
export type PlatformErrorKind = 'not_logged_in' | 'rate_limited' | 'refused' | 'timeout'

export class PlatformError extends Error {
  readonly kind: PlatformErrorKind
  /** The platform's name for it, such as `NoMatch`. */
  readonly result: string | null

  constructor(kind: PlatformErrorKind, result: string | null) {
    super(result ?? kind)
    this.name = 'PlatformError'
    this.kind = kind
    this.result = result
  }
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
  steamId: null,
  reason: 'the service is starting',
  retryAt: null,
  tokenDaysLeft: null,
  session: 0,
}
