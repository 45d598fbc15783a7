import { timeOf } from '../../handlers/iso-time.ts'
import type { KeptBackup } from './kept-backup.ts'

type Ordered = Pick<KeptBackup, 'madeAt' | 'order'>

/**
 * The place of a backup in the order of making: the milliseconds since 1970 at which it was made, and more where the
 * clock was behind an earlier backup. A clock that is set back must not make the newest backup look like the oldest.
 */
const orderOf = ({ madeAt, order }: Ordered): number => order ?? timeOf(madeAt) ?? 0

/** Sorts backups by the order of making. */
export const newestFirst = (a: Ordered, b: Ordered): number => orderOf(b) - orderOf(a)

/**
 * The order of a backup that is made after others.
 * @param now milliseconds since 1970
 * @returns undefined where the clock is ahead of all others, so that its time is enough
 */
export function nextOrder(others: readonly Ordered[], now: number): number | undefined {
  const last = others.reduce((latest, one) => Math.max(latest, orderOf(one)), 0)
  return last < now ? undefined : last + 1
}
