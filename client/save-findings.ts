/** The finding about what the next start of the game loads. */
import type { CallOptions } from './call.ts'
import { FarmgateError } from './error.ts'
import { type Finding, finding } from './findings.ts'
import type { Farm } from './index.ts'

/** @returns nothing where farmgate sees no saves, for a key that may not read them, or an older farmgate */
export async function saveFindings(farm: Farm, options: CallOptions): Promise<Finding[]> {
  try {
    const { saves, next } = await farm.saves({}, options)
    if (next.state === 'unknown') return [finding('next_save_unknown')]
    return next.state === 'missing' && saves.length > 0 ? [finding('next_save_missing')] : []
  } catch (error) {
    if (!(error instanceof FarmgateError)) throw error
    return []
  }
}
