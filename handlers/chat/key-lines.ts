import { isNamed, type KeyHolder } from '../key-holder.ts'
import { type Allowance, fullAllowance, rates, refilled, without } from './rates.ts'

/** Maximum of remembered keys; then those with a full allowance are forgotten. */
const manyKeys = 100

/**
 * The rate of chat lines of each named key over all its clients: the same as that of one client. It is in memory only:
 * an object at the edge that hibernated has had no lines for longer than the allowance takes to fill.
 * @returns takes lines from the allowance of a key at a time in milliseconds since 1970, all or none; false when it
 * has too few. Only named keys have such a rate.
 */
export function keyLines(): (holder: KeyHolder, lines: number, at: number) => boolean {
  const allowances = new Map<string, Allowance>()
  const isFull = (one: Allowance, at: number) => refilled(one, at).lines === rates.lines.atOnce
  return (holder, lines, at) => {
    if (!isNamed(holder)) return true
    const before = refilled(allowances.get(holder.id) ?? fullAllowance, at)
    const left = without(before, 'lines', lines)
    if (allowances.size >= manyKeys)
      for (const [id, one] of allowances) if (isFull(one, at)) allowances.delete(id)
    // Stored also when nothing was taken: after a clock was set back the allowance fills from the new time.
    allowances.set(holder.id, left ?? before)
    return left !== undefined
  }
}
