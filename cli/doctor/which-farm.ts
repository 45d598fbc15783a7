/** The farm that the doctor checks, and what is wrong with its name. */
import type { Environment } from '../../lib/environment.ts'
import { type Where, type WhereOptions, where, whereProblems } from '../connection/where.ts'
import { exitCodes } from '../outcome/exit-codes.ts'
import { Failure } from '../outcome/failure.ts'
import { broken, type Check } from './check.ts'
import { rightVariables } from './right-variables.ts'

interface NamedFarm {
  readonly checks: readonly Check[]
  /** Undefined when none is named, or not in a way that allows a connection. */
  readonly where?: Where
}

/**
 * Reads options, variables and profile as all commands do, but continues without the wrong variables.
 * @param isNeeded whether there is no other farm to check
 * @throws {Failure} an option is wrong
 */
export function namedFarm(options: WhereOptions, env: Environment, isNeeded: boolean): NamedFarm {
  const problems = whereProblems(env)
  const checks = problems.map(({ variable, problem }) =>
    broken(variable, problem, 'Set it again, or unset it: docs/dashboard.md has these variables.'),
  )
  try {
    return { checks, where: where(options, rightVariables(env, problems)) }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const hasOption = (options.url ?? options.keyFile ?? options.profile) !== undefined
    if (hasOption && error.exitCode === exitCodes.wrongUsage) throw error
    // A broken file of profiles has a separate check.
    const isExplained = checks.length > 0 || error.exitCode === exitCodes.wrongEnvironment
    if (isExplained || !isNeeded) return { checks }
    return { checks: [broken('farm', error.message, error.remedy ?? '')] }
  }
}
