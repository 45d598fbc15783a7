import { awayStatus } from '../handlers/away-status.ts'
import type { Status } from '../handlers/game-records.ts'

/** Milliseconds by which `lastUpdated` may lag, so that a status is encoded about once a second at most. */
const lag = 1000

/**
 * How every bridge shows its game's last status: with `lastUpdated` as the time when the game was last heard
 * to be well, and as `awayStatus` while it is away. The same object until one of these changes.
 * @returns a function of the last status, of when the game was well (milliseconds since 1970, undefined keeps
 *   the `lastUpdated` that the status has), and of whether it is away
 */
export function statusShower(): (last: Status, wellAt: number | undefined, isAway: boolean) => Status {
  let shown:
    | { readonly of: Status; readonly wellAt: number; readonly isAway: boolean; readonly status: Status }
    | undefined
  return (last, wellAt = 0, isAway) => {
    if (shown?.of === last && shown.isAway === isAway && wellAt - shown.wellAt < lag) return shown.status
    const dated = wellAt === 0 ? last : { ...last, lastUpdated: new Date(wellAt).toISOString() }
    shown = { of: last, wellAt, isAway, status: isAway ? awayStatus(dated) : dated }
    return shown.status
  }
}
