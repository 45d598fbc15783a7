/** Values of options that several commands take. */
import { openAsBlob } from 'node:fs'
import type { Command } from 'commander'
import { scopes } from '../../client/choices.ts'
import type { Scope } from '../../client/index.ts'
import { scopeSentences } from '../../handlers/key-holder.ts'
import { exitCodes } from '../outcome/exit-codes.ts'
import { Failure, wrongUsage } from '../outcome/failure.ts'

/** Says in the help of a command what each scope allows. */
export const withScopes = (command: Command): Command =>
  command.addHelpText(
    'after',
    `\nScopes:\n${scopes.map((one) => `  ${one}: ${scopeSentences[one]}`).join('\n')}`,
  )

/** @throws {Failure} one of them is not a scope */
export function scopesOf(given: readonly string[]): Scope[] {
  const known = scopes.filter((one) => given.includes(one))
  if (known.length === new Set(given).size) return known
  throw wrongUsage(`A scope is one of ${scopes.join(', ')}.`)
}

/** @param option for the message @returns undefined when it is not given @throws {Failure} not a whole number above 0 */
export function numberOf(option: string, given: string | undefined): number | undefined {
  if (given === undefined) return undefined
  if (/^[1-9][0-9]{0,5}$/.test(given)) return Number(given)
  throw wrongUsage(`${option} is a whole number.`)
}

/** A file to send. @throws {Failure} it cannot be read */
export async function fileToSend(path: string): Promise<Blob> {
  try {
    return await openAsBlob(path)
  } catch {
    // Node's error has no cause.
    throw new Failure(exitCodes.failed, `The file ${path} cannot be read.`, 'Check its name and its rights.')
  }
}
