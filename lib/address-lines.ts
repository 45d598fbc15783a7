/** Log lines about addresses: for each address one a minute, and how many more there would have been. */
export type AddressLines = ReturnType<typeof addressLines>

interface AddressLinesOptions {
  /** Milliseconds of a clock that never runs backwards. */
  now(): number
  /** Writes how many events of an address were counted and not written. */
  leftOut(address: string, count: number): void
}

/** Milliseconds. */
const minute = 60_000
/** Maximum of addresses with lines in one minute; the events of all others are counted together. */
const maxAddresses = 100
const others = 'others'

export function addressLines({ now, leftOut }: AddressLinesOptions) {
  let began = 0
  /** How many events of each address were left out in this minute. */
  const counts = new Map<string, number>()

  const flush = (isLast = false) => {
    if (counts.size === 0 || (!isLast && now() - began < minute)) return
    for (const [address, count] of counts) if (count > 0) leftOut(address, count)
    counts.clear()
  }
  return {
    /** Calls `write` for the first event of an address in a minute; further ones are counted. */
    note(address: string, write: () => void) {
      flush()
      if (counts.size === 0) began = now()
      const isKnown = counts.has(address)
      const named = isKnown || counts.size < maxAddresses ? address : others
      if (isKnown || named === others) counts.set(named, (counts.get(named) ?? 0) + 1)
      else {
        counts.set(named, 0)
        write()
      }
    },
    /** Writes the counts of the past minute. @param isLast whether to write those of the current minute too */
    flush,
  }
}
