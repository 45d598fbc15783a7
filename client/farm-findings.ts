/**
 * Findings about the game's process (`GAME_HOST`), the mods (`MODS_DIR`), the next start (`SAVES_DIR`) and newer releases
 * (`UPDATE_CHECK`).
 */
import type { CallOptions } from './call.ts'
import { FarmgateError } from './error.ts'
import { type Finding, type FindingCode, finding } from './findings.ts'
import type { Farm } from './index.ts'
import type { Health } from './types.ts'

/** @returns no finding about what the key may not read, or an older farmgate does not know */
export async function farmFindings(
  farm: Farm,
  { status }: Pick<Health, 'status'>,
  options: CallOptions,
): Promise<Finding[]> {
  const found = await Promise.all([
    findingOf(
      farm.host({}, options),
      ({ state }) => {
        if (state === 'unknown') return finding('game_host_unreachable')
        const isEnded = state === 'stopped' || state === 'crashed'
        return finding(isEnded && status === 'ok' ? 'game_host_other' : 'game_host_ready')
      },
      'game_host_not_set_up',
    ),
    findingOf(
      farm.mods({}, options),
      ({ mods }) => {
        const broken = mods.filter(({ problems }) => problems.length > 0).length
        return broken > 0 ? finding('mods_broken', broken) : finding('mods_load', mods.length)
      },
      'mods_not_set_up',
    ),
    findingOf(farm.saves({}, options), ({ saves, next: { state } }) => {
      if (state === 'unknown') return finding('next_save_unknown')
      return state === 'missing' && saves.length > 0 ? finding('next_save_missing') : undefined
    }),
    findingOf(
      farm.stats({}, options),
      ({ update }) => update && { found: 'update_available', version: update.version },
    ),
  ])
  return found.filter((one) => one !== undefined)
}

/** @param notSetUp the finding where the farm has no such part */
const findingOf = <Answer>(
  asked: Promise<Answer>,
  judge: (answer: Answer) => Finding | undefined,
  notSetUp?: FindingCode,
): Promise<Finding | undefined> =>
  asked.then(judge, (error: unknown) => {
    if (!(error instanceof FarmgateError)) throw error
    return error.code === 'unsupported' && notSetUp !== undefined ? finding(notSetUp) : undefined
  })
