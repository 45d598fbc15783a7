import { awayStatus } from '../../../handlers/away-status.ts'
import type { Status } from '../../../handlers/game-records.ts'

/** Whether it is said by what stands in for a server since September 2026 while its game starts. */
export const isStandIn = ({ isOnline, phase }: Status): boolean => !isOnline && phase !== undefined

/**
 * The game's last status out of what is answered on its address: while a stand-in answers, what the farm was
 * before, with the stand-in's phase. Answers the same object for the same status.
 */
export function lastStatus(): (said: Status) => Status {
  let real: Status | undefined
  let starting: { readonly said: Status; readonly shown: Status } | undefined
  return (said) => {
    if (!isStandIn(said)) {
      real = said
      return said
    }
    if (real === undefined) return said
    if (starting?.said !== said) {
      const { phase } = said
      starting = { said, shown: { ...awayStatus(real), ...(phase !== undefined && { phase }) } }
    }
    return starting.shown
  }
}
