/** The port of the ticket service's sign-in to Steam, in `services/ticket-service/`. */
export interface TicketService {
  /** @returns undefined without `PLATFORM_AUTH_URL`, and `unreachable` while the service does not answer */
  signIn(): Promise<SteamSignIn | 'unreachable' | undefined>
}

export interface SteamSignIn {
  readonly isSignedIn: boolean
  /** Days until its token expires, 0 when it has; undefined when that is not known. */
  readonly daysLeft: number | undefined
}
