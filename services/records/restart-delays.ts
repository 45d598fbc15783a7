import { type BackOff, backOff } from '../../lib/back-off.ts'

/**
 * The waits before a thread that has ended is started again. One that ran longer than the longest wait had no lasting
 * fault: the waits begin anew.
 * @returns tells the next wait in milliseconds. @param ranFor milliseconds that the thread ran @param random 0 to 1
 */
export function restartDelays(delays: BackOff): (ranFor: number, random: number) => number {
  let failures = 0
  return (ranFor, random) => {
    failures = ranFor > delays.max ? 1 : failures + 1
    return backOff(delays, failures, random)
  }
}
