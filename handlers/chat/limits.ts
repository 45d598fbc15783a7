/** Time limits of `/ws`, and how many clients may wait to authenticate. How often each may send is in `rates.ts`. */

/** Milliseconds a client has from connecting to authenticate. */
export const authTimeout = 10_000

/** Milliseconds that the game must be away until clients that cannot be told so are closed. */
export const awayWindow = 10_000

/** Clients of one address that have yet to authenticate, at once. */
export const unauthenticatedPerAddress = 20
