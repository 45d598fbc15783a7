import { withHelpOf } from '../../client/help-links.ts'
import type { Environment } from '../../lib/environment.ts'
import { placeAt } from '../connection/place.ts'
import { type Where, type WhereOptions, where, whereProblems } from '../connection/where.ts'
import { broken, type Check } from '../doctor/check.ts'
import { environmentChecks, isOfServe } from '../doctor/environment.ts'
import { farmChecks } from '../doctor/farm.ts'
import { folderChecks } from '../doctor/folders.ts'
import { publishedPortChecks } from '../doctor/published-ports.ts'
import { rightVariables } from '../doctor/right-variables.ts'
import { exitCodes } from '../outcome/exit-codes.ts'
import { Failure, wrongUsage } from '../outcome/failure.ts'
import { width } from '../terminal/table.ts'
import { paint, type Text } from '../terminal/text.ts'
import { wrapped } from '../terminal/wrap.ts'
import { type AddCommand, commonOptions, show, withCalls, withExamples } from './add-command.ts'

const marks: Readonly<Record<Check['state'], Text>> = {
  ok: paint('green', '✔'),
  warning: paint('yellow', '!'),
  broken: paint('red', '✘'),
}

/** One line; where the terminal is narrower, the fix begins on a new line. */
function checkLines({ check, state, found, fix }: Check, columns: number): readonly Text[] {
  const finding: Text = [marks[state], ' ', paint('bold', `${check}:`), ' ', found]
  const whole: Text = fix === undefined ? finding : [finding, paint('dim', ' → '), fix]
  if (width(whole) <= columns) return [whole]
  return [
    ...wrapped(finding, columns, 2),
    ...(fix === undefined ? [] : wrapped([paint('dim', '  → '), fix], columns, 4)),
  ]
}

const withHelpAt = ({ found, fix, ...check }: Check, url: string): Check => ({
  ...check,
  found: withHelpOf(found, url),
  ...(fix !== undefined && { fix: withHelpOf(fix, url) }),
})

interface NamedFarm {
  readonly checks: readonly Check[]
  /** Undefined when none is named, or not in a way that allows a connection. */
  readonly where?: Where
}

/**
 * Reads options, variables and profile as all commands do, but continues without the wrong variables.
 * @param isNeeded whether this is the only farm to check
 * @throws {Failure} an option is wrong
 */
function namedFarm(options: WhereOptions, env: Environment, isNeeded: boolean): NamedFarm {
  const problems = whereProblems(env)
  const checks = problems.map(({ variable, problem }) =>
    broken(variable, problem, 'Set it again, or unset it: /help/cli has these variables.'),
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

/** Asked where the key may. Also `/openapi.json`, for the version. */
const calls = [
  'health',
  'status',
  'players',
  'join',
  'stats',
  'host',
  'saves',
  'mods',
  'backups',
  'webhooks',
  'webhooks/deliveries',
  'discord/servers',
  'metrics',
].map((path) => `GET /${path}`)

export const doctor: AddCommand = (program, context) => {
  const command = program
    .command('doctor')
    .description('find problems: environment, keys, game, ticket service, edge, clocks, files, ports')
    .option('--patience <seconds>', 'maximum length of a night during the check', '60')
  withCalls(command, ...calls)
  withExamples(
    command,
    'doctor',
    'doctor --json | jq \'.[] | select(.state != "ok")\'',
    'doctor   # in the environment of farmgate serve it looks at that too',
  ).action(async ({ patience }: { patience: string }) => {
    if (!/^[1-9][0-9]{0,3}$/.test(patience))
      throw wrongUsage('--patience is a number of seconds from 1 to 9999.')
    const signal = context.interrupted()
    const isServe = isOfServe(context.env)
    const serve = isServe ? await environmentChecks(context.env, signal) : { checks: [] }
    const named = namedFarm(commonOptions(command), context.env, !isServe)
    // The farm of this environment, when no other is named and it is running.
    const isUp = serve.checks.some(({ check, state }) => check === 'port' && state === 'ok')
    const where = named.where ?? (isUp && 'own' in serve ? serve.own : undefined)
    const found = [
      ...serve.checks,
      ...named.checks,
      ...(where === undefined
        ? []
        : await farmChecks(placeAt(where, context), {
            patience: Number(patience) * 1000,
            signal,
            now: Date.now,
          })),
      ...(await folderChecks(isServe ? { DATA_DIR: 'data', ...context.env } : context.env)),
      ...(await publishedPortChecks(context.env, signal)),
    ]
    const checks = where === undefined ? found : found.map((check) => withHelpAt(check, where.url))
    show(command, context, checks, () => checks.flatMap((check) => checkLines(check, context.out.columns())))
    const wrong = checks.filter(({ state }) => state === 'broken').length
    if (wrong > 0) throw new Failure(exitCodes.failed, `${wrong} of ${checks.length} checks found a fault.`)
  })
}
