/** Time limits of `/ws`, and the limit on unauthenticated clients. How often each client may send is in `rates.ts`. */

/** Milliseconds from connecting in which a client must authenticate. */
export const authTimeout = 10_000

/** Milliseconds that the game must be offline before clients that use neither `since` nor `subscribe` are closed. */
export const offlineWindow = 10_000

/** Milliseconds without the game's chat, after it was reset or refused, before the same clients are closed. */
export const chatLostWindow = 2_000

/** Maximum share of all clients that one named key may have. */
export const placesOfKey = (maxClients: number): number => Math.max(1, Math.floor(maxClients / 4))

/** Maximum of clients of one address at once that have not authenticated yet. */
export const unauthenticatedPerAddress = 20
