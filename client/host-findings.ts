/** The finding about what runs the game's process (`GAME_HOST`). */
import type { CallOptions } from './call.ts'
import { FarmgateError } from './error.ts'
import { type Finding, finding } from './findings.ts'
import type { Farm } from './index.ts'
import type { Health } from './types.ts'

/** @returns nothing for a key that may not read it, or a farmgate that has no such call */
export async function hostFindings(
  farm: Farm,
  { status }: Pick<Health, 'status'>,
  options: CallOptions,
): Promise<Finding[]> {
  try {
    const { state } = await farm.host({}, options)
    if (state === 'unknown') return [finding('game_host_unreachable')]
    const isEnded = state === 'stopped' || state === 'crashed'
    return [finding(isEnded && status === 'ok' ? 'game_host_other' : 'game_host_ready')]
  } catch (error) {
    if (!(error instanceof FarmgateError)) throw error
    return error.code === 'unsupported' ? [finding('game_host_not_set_up')] : []
  }
}
