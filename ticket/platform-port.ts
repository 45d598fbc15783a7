import type { DownloadStatus, RepairOutcome } from './download-port.ts'
import type { SetupStatus } from './setup-status.ts'

/**
 * `starting`: the Steam library is loading. `logging_on`: a logon is in progress. `waiting`: the next logon begins at
 * `retryAt`. `login_needed`: a person must run the login command.
 */
type SessionPhase = 'starting' | 'logging_on' | 'logged_on' | 'waiting' | 'login_needed'

/** State of the session with Steam. Plain data, so that it can be sent between threads. */
export interface SessionState {
  readonly phase: SessionPhase
  /** The account, a decimal 64-bit id; undefined while not logged on. */
  readonly steamId: string | undefined
  /** Why there is no session, for the operator; undefined when there is one. */
  readonly reason: string | undefined
  /** When the next attempt begins, by `Clock.monotonic`; only in `waiting`. */
  readonly retryAt: number | undefined
  /** Whole days until the token ends, by Steam's clock; undefined when unknown. */
  readonly tokenDaysLeft: number | undefined
  /** Number of successful logons; identifies the session. */
  readonly session: number
}

/** An encrypted app ticket: the bytes of the EncryptedAppTicket message, unchanged. */
export interface AppTicket {
  readonly bytes: Uint8Array
  readonly steamId: string
}

/** The settings of a lobby, sent to Steam as a whole. They replace the previous ones. */
export interface LobbySettings {
  readonly maxMembers: number
  readonly metadata: Readonly<Record<string, string>>
}

/** Outcome of a renewal of the refresh token on request. Times in milliseconds since 1970, undefined when unknown. */
export interface TokenRenewal {
  /** `refused`: Steam gave no new token, as it does far from the end of the old one, which stays valid. */
  readonly outcome: 'renewed' | 'refused' | 'failed'
  readonly error: string | undefined
  readonly previousExpiresAt: number | undefined
  readonly expiresAt: number | undefined
}

/**
 * The session with Steam as the HTTP side uses it. No method starts a logon: the session logs on automatically. While
 * there is no session, a request rejects at once with a PlatformError `not_logged_in`. Lobby ids are 64-bit.
 */
export interface PlatformPort {
  state(): SessionState
  /** Calls the listener at every change. @returns a function that removes the listener. */
  onChange(listener: (state: SessionState) => void): () => void
  downloadStatus(): DownloadStatus
  requestTicket(): Promise<AppTicket>
  createLobby(settings: LobbySettings): Promise<bigint>
  setLobby(id: bigint, settings: LobbySettings): Promise<void>
  leaveLobby(id: bigint): Promise<void>
  /** Renews the refresh token now. @throws PlatformError `token_from_environment` when a person manages it */
  renewToken(): Promise<TokenRenewal>
  /** Repairs the installed game files to the installed version. A call during a repair joins it. */
  repairGame(): Promise<RepairOutcome>
  /** The state of the set-up in the browser. */
  setupStatus(): Promise<SetupStatus>
  /** Begins a sign-in by QR code; one that is in progress ends. */
  beginSignIn(): Promise<void>
  /** Begins the next attempt of a download that failed now. */
  retryDownload(): Promise<void>
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
