import { type Place, placeAt, placeOf } from '../connection/place.ts'
import type { Check } from '../doctor/check.ts'
import { environmentChecks, isOfServe } from '../doctor/environment.ts'
import { farmChecks } from '../doctor/farm.ts'
import { folderChecks } from '../doctor/folders.ts'
import { publishedPortChecks } from '../doctor/published-ports.ts'
import { exitCodes } from '../outcome/exit-codes.ts'
import { Failure, wrongUsage } from '../outcome/failure.ts'
import { paint, type Text } from '../terminal/text.ts'
import { type AddCommand, commonOptions, show, withExamples } from './add-command.ts'

export const doctor: AddCommand = (program, context) => {
  const command = program
    .command('doctor')
    .description(
      'look for what is wrong: environment, keys, game, ticket service, edge, clocks, files, ports',
    )
    .option('--patience <seconds>', 'how long a night may take while it is looked at', '60')
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
    const place = named()
    const checks = [
      ...serve.checks,
      ...(place === undefined
        ? []
        : await farmChecks(place, { patience: Number(patience) * 1000, signal, now: Date.now })),
      ...folderChecks(isServe ? { DATA_DIR: 'data', ...context.env } : context.env),
      ...(await publishedPortChecks(context.env, signal)),
    ]
    show(command, context, checks, () => checks.map(lineOf))
    const wrong = checks.filter(({ state }) => state === 'broken').length
    if (wrong > 0) throw new Failure(exitCodes.failed, `${wrong} of ${checks.length} checks found a fault.`)

    /** The farm that is named; or the one of this environment, when it is up or is the only thing to look at. */
    function named(): Place | undefined {
      try {
        return placeOf(commonOptions(command), context)
      } catch (error) {
        const isUnnamed = error instanceof Failure && error.exitCode === exitCodes.wrongUsage
        if (!isServe || !isUnnamed) throw error
        const isUp = serve.checks.some(({ check, state }) => check === 'port' && state === 'ok')
        return isUp && 'own' in serve && serve.own !== undefined ? placeAt(serve.own, context) : undefined
      }
    }
  })
}

const marks: Readonly<Record<Check['state'], Text>> = {
  ok: paint('green', '✔'),
  warning: paint('yellow', '!'),
  broken: paint('red', '✘'),
}

const lineOf = ({ check, state, found, mend }: Check): Text => [
  marks[state],
  ' ',
  paint('bold', check),
  `: ${found}`,
  mend === undefined ? '' : [paint('dim', ' → '), mend],
]
