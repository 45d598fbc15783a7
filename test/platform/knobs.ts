/** Steam Guard of a sign-in. `approval-or-code` offers both, as an account with the mobile app does. */
type GuardKind = 'none' | 'email-code' | 'device-code' | 'approval' | 'approval-or-code'

/** Settings by which a test changes the behaviour of the platform, at any time. */
export interface Knobs {
  guard: GuardKind
  /** Answer to a logon with a good token: the name of a result, `OK` for success. */
  logonResult: string
  /** Answer to a ticket request, by the name of a result. */
  ticketResult: string
  /** Answer to a request to make or change a lobby, by the name of a result. */
  lobbyResult: string
  /** Logs every session off right after its logon, with the result of this name. */
  logOffResult: string | undefined
  /** Which server accepts connections and never answers. */
  hangs: 'proxy' | 'directory' | 'connection manager' | undefined
  /** Seconds between two polls of a sign-in. */
  pollInterval: number
  /** Milliseconds before a logon, or a ticket request, is answered. */
  logonDelay: number
  ticketDelay: number
  /** Whether a request for a new token gets one. */
  renewal: boolean
  /** Milliseconds between the new token, which revokes the old one, and its answer. */
  renewalDelay: number
  /** Names of messages that get no answer, for instance `ClientRequestEncryptedAppTicket`. */
  readonly silent: Set<string>
  /** The server directory answers 503. */
  directoryDown: boolean
  /** Sockets to the connection manager are destroyed before the WebSocket handshake. */
  refuseSockets: boolean
  /** The proxy answers 502 to every CONNECT, as when the platform cannot be reached. */
  unreachable: boolean
  /** Seconds by which the platform's clock is ahead of this machine's. */
  clockAhead: number
  /** Days until a new token expires. */
  tokenDays: number
}

/** @returns the settings of a platform without faults. */
export function defaultKnobs(): Knobs {
  return {
    guard: 'none',
    logonResult: 'OK',
    ticketResult: 'OK',
    lobbyResult: 'OK',
    logOffResult: undefined,
    hangs: undefined,
    pollInterval: 0.1,
    logonDelay: 0,
    ticketDelay: 0,
    renewal: true,
    renewalDelay: 0,
    silent: new Set(),
    directoryDown: false,
    refuseSockets: false,
    unreachable: false,
    clockAhead: 0,
    tokenDays: 200,
  }
}
