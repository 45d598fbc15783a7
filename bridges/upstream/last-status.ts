import type { Status } from '../../handlers/game-records.ts'
import { offlineStatus } from '../../handlers/offline-status.ts'

/** Whether a status comes from the small server that JunimoServer (since September 2026) runs while the game starts. */
export const isStandIn = ({ isOnline, phase }: Status): boolean => !isOnline && phase !== undefined

/**
 * Keeps the game's last real status. While the small server answers during a start, the result is the `offlineStatus`
 * of the last real one with the `phase` of the answer. The same input gives the same object.
 */
export function lastStatus(): (answered: Status) => Status {
  let real: Status | undefined
  let starting: { readonly answered: Status; readonly shown: Status } | undefined
  return (answered) => {
    if (!isStandIn(answered)) {
      real = answered
      return answered
    }
    if (real === undefined) return answered
    if (starting?.answered !== answered) {
      const { phase } = answered
      starting = { answered, shown: { ...offlineStatus(real), ...(phase !== undefined && { phase }) } }
    }
    return starting.shown
  }
}
