/** The finding about the mods of the game server (`MODS_DIR`). */
import type { CallOptions } from './call.ts'
import { FarmgateError } from './error.ts'
import { type Finding, finding } from './findings.ts'
import type { Farm } from './index.ts'

/** @returns nothing for a key that may not read them, or a farmgate that has no such call */
export async function modFindings(farm: Farm, options: CallOptions): Promise<Finding[]> {
  try {
    const { mods } = await farm.mods({}, options)
    const broken = mods.filter(({ problems }) => problems.length > 0).length
    return [broken > 0 ? finding('mods_broken', broken) : finding('mods_load', mods.length)]
  } catch (error) {
    if (!(error instanceof FarmgateError)) throw error
    return error.code === 'unsupported' ? [finding('mods_not_set_up')] : []
  }
}
