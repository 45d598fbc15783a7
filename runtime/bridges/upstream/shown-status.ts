/** What `/status` says while the game is away, is starting, or was never seen (contract section 3). */
import { neverSeen, type Status } from '../../../handlers/game-records.ts'

/** Answers the same object for the same status, so that its encoding is kept. */
export function statusShower() {
  /** The game's own last word, not that of what stands in for it while it starts. */
  let real: Status | undefined
  const offline = new WeakMap<Status, Status>()
  const starting = new WeakMap<Status, Status>()

  return (said: Status | undefined, isAway: boolean): Status => {
    if (said === undefined) return neverSeen
    const { phase } = said
    const isStandIn = !said.isOnline && phase !== undefined
    if (!isStandIn) real = said
    if (isStandIn && !isAway) {
      let shown = starting.get(said)
      if (shown === undefined) {
        shown = { ...(real ?? said), isOnline: false, phase }
        starting.set(said, shown)
      }
      return shown
    }
    const last = real ?? said
    if (!isAway || !last.isOnline) return last
    let shown = offline.get(last)
    if (shown === undefined) {
      shown = { ...last, isOnline: false }
      offline.set(last, shown)
    }
    return shown
  }
}
