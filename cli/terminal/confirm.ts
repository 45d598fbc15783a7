import { exitCodes } from '../outcome/exit-codes.ts'
import { Failure, wrongUsage } from '../outcome/failure.ts'
import type { Context } from './context.ts'
import { plain, type Text } from './text.ts'

/**
 * Asks for a name before something is destroyed.
 * @param warning what will happen, a sentence
 * @param isSure whether `--yes` was given
 * @throws {Failure} the name was not typed, or there is no terminal to ask at
 */
export async function confirm(context: Context, warning: Text, name: string, isSure = false): Promise<void> {
  if (isSure) return
  if (!context.hasPerson)
    throw wrongUsage(
      `No one can be asked here, so nothing was changed. ${plain(warning)}`,
      'Add --yes if that is right.',
    )
  context.notes.line(warning)
  const shown = plain(name)
  const answer = await context.prompter
    .ask(`Type ${shown} to continue: `, { signal: context.interrupted() })
    .finally(context.prompter.close)
  if (answer.trim() !== shown.trim())
    throw new Failure(exitCodes.failed, 'That is another name, so nothing was changed.')
}
