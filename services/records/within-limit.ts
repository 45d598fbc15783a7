import { FarmError } from '../../handlers/farm-error.ts'
import { type limitedKinds, limits } from '../../handlers/limits.ts'

/**
 * Adds a record unless there are as many as a farm may have. Call this in a write of `tables.ts`, which is one
 * transaction, so that no other record is added between the count and the insert.
 * @returns whether it was added
 */
export function addWithinLimit(kind: keyof typeof limits, count: () => number, add: () => void): boolean {
  if (count() >= limits[kind]) return false
  add()
  return true
}

/** @throws {FarmError} too_many, for a record that was not added */
export function requireAdded(kind: (typeof limitedKinds)[number], isAdded: boolean): void {
  if (!isAdded) throw new FarmError({ kind: 'too_many', of: kind })
}
