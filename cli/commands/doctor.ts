import { placeAt } from '../connection/place.ts'
import { checkLines } from '../doctor/check-lines.ts'
import { environmentChecks, isOfServe } from '../doctor/environment.ts'
import { farmChecks } from '../doctor/farm.ts'
import { folderChecks } from '../doctor/folders.ts'
import { publishedPortChecks } from '../doctor/published-ports.ts'
import { namedFarm } from '../doctor/which-farm.ts'
import { exitCodes } from '../outcome/exit-codes.ts'
import { Failure, wrongUsage } from '../outcome/failure.ts'
import { type AddCommand, commonOptions, show, withExamples } from './add-command.ts'

export const doctor: AddCommand = (program, context) => {
  const command = program
    .command('doctor')
    .description('find problems: environment, keys, game, ticket service, edge, clocks, files, ports')
    .option('--patience <seconds>', 'maximum length of a night during the check', '60')
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
    const checks = [
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
    show(command, context, checks, () => checks.flatMap((check) => checkLines(check, context.out.columns())))
    const wrong = checks.filter(({ state }) => state === 'broken').length
    if (wrong > 0) throw new Failure(exitCodes.failed, `${wrong} of ${checks.length} checks found a fault.`)
  })
}
