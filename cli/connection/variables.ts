import { readFileSync } from 'node:fs'
import type * as v from 'valibot'
import { type Environment, problemLines, readEnvironment, type Variables } from '../../lib/environment.ts'
import { exitCodes } from '../outcome/exit-codes.ts'
import { Failure } from '../outcome/failure.ts'

export const readText = (path: string) => readFileSync(path, 'utf8')

/**
 * The variables that a command reads.
 * @throws {Failure} one of them is wrong
 */
export function variablesOf<const Entries extends v.ObjectEntries>(
  variables: Variables<Entries>,
  env: Environment,
): v.InferOutput<v.ObjectSchema<Entries, undefined>> {
  const { values, problems } = readEnvironment(variables, env, readText)
  if (values === undefined)
    throw new Failure(exitCodes.wrongEnvironment, problemLines(problems).trim(), 'Fix the environment.')
  return values
}
