/** How the account's sign-in is guarded. `approval-or-code` offers both at once, as an account with the app does. */
type GuardKind = 'none' | 'email-code' | 'device-code' | 'approval' | 'approval-or-code'

/** What a test can make the platform do. Every field may be changed at any time. */
export interface Knobs {
  guard: GuardKind
  /** Answer to a logon with a good token: the name of a result, `OK` for success. */
  logonResult: string
  /** Answer to a ticket request, by the name of a result. */
  ticketResult: string
  /** Answer to a request to make or change a lobby, by the name of a result. */
  lobbyResult: string
  /** Milliseconds before a logon, or a ticket request, is answered. */
  logonDelay: number
  ticketDelay: number
  /** Is a new token given when one is asked for? */
  renewal: boolean
  /** Messages by name that are swallowed, for instance `ClientRequestEncryptedAppTicket`. */
  readonly silent: Set<string>
  /** Server directory answers 503. */
  directoryDown: boolean
  /** Sockets to the connection manager are closed before anything is said on them. */
  refuseSockets: boolean
  /** The proxy reaches nothing: the platform is down altogether. */
  unreachable: boolean
  /** Seconds by which the platform's clock is ahead of this machine's. */
  clockAhead: number
  /** Days that a new token is good for. */
  tokenDays: number
}

/** @returns a platform in good health. */
export function defaultKnobs(): Knobs {
  return {
    guard: 'none',
    logonResult: 'OK',
    ticketResult: 'OK',
    lobbyResult: 'OK',
    logonDelay: 0,
    ticketDelay: 0,
    renewal: true,
    silent: new Set(),
    directoryDown: false,
    refuseSockets: false,
    unreachable: false,
    clockAhead: 0,
    tokenDays: 200,
  }
}
