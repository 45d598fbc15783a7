import { text } from 'node:stream/consumers'
import type { Context } from './context.ts'

/**
 * A secret that is typed without being shown, or the whole input without a terminal. @returns without blanks at its
 * ends
 */
export async function askSecret(
  { hasPerson, prompter, input, interrupted }: Context,
  question: string,
): Promise<string> {
  if (!hasPerson) return (await text(input)).trim()
  const asked = prompter.ask(question, { hidden: true, signal: interrupted() })
  return (await asked.finally(prompter.close)).trim()
}
