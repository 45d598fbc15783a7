/** The addresses of one farm at an edge of several instances. */
import { hostAndPort } from '../../../lib/failure-cause.ts'

/** @param urls base addresses with the farm's path, at least one */
export function addressesInTurn(urls: readonly string[]) {
  const targets = urls.map((url) => new URL(`${url.replace('http', 'ws')}/link`))
  let at = 0
  let failed = 0
  let hasWorked = false
  const target = () => {
    const found = targets[at]
    if (found === undefined) throw new Error('a link needs an address')
    return found
  }
  return {
    /** Where to open the next link. */
    get target(): URL {
      return target()
    },
    /** Its host and port, for the log. */
    get shown(): string {
      return hostAndPort(target())
    },
    /** Call this when the link at `target` was accepted: it is then the first to be tried. */
    worked() {
      failed = 0
      hasWorked = true
    },
    /**
     * Call this after a loss. The address of a link that worked is tried again before the others, unless it is restarting.
     * @returns whether another one can be tried at once, because not all have failed since the last wait
     */
    next(isRestarting: boolean): boolean {
      const isTriedAgain = hasWorked && !isRestarting
      hasWorked = false
      if (isTriedAgain) return false
      failed += 1
      at = (at + 1) % targets.length
      if (failed < targets.length) return true
      failed = 0
      return false
    },
  }
}
