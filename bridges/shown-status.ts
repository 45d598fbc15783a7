import type { Status } from '../handlers/game-records.ts'
import { offlineStatus } from '../handlers/offline-status.ts'

/** Milliseconds by which `lastUpdated` may lag, so that a new status object is made, and encoded, at most once a second. */
const lag = 1000

/**
 * Makes the status that a bridge shows from its game's last one: `lastUpdated` is the time when the game was last
 * known to be well, and while it is offline the status is its `offlineStatus`. The result is the same object until one
 * of these changes.
 * @returns a function of the last status, of when the game was last well (milliseconds since 1970; undefined keeps the
 * `lastUpdated` of the status), and of whether the game is offline
 */
export function statusShower(): (last: Status, wellAt: number | undefined, isOffline: boolean) => Status {
  let shown:
    | { readonly of: Status; readonly wellAt: number; readonly isOffline: boolean; readonly status: Status }
    | undefined
  return (last, wellAt = 0, isOffline) => {
    if (shown?.of === last && shown.isOffline === isOffline && wellAt - shown.wellAt < lag)
      return shown.status
    const dated = wellAt === 0 ? last : { ...last, lastUpdated: new Date(wellAt).toISOString() }
    shown = { of: last, wellAt, isOffline, status: isOffline ? offlineStatus(dated) : dated }
    return shown.status
  }
}
