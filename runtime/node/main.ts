/** Reads the arguments and the environment of `npm run serve`, and starts the control API. */
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type EnvironmentProblem, problemLines } from '../../lib/environment.ts'
import { exitCodes } from '../../lib/exit-codes.ts'
import { hostProblem } from '../../lib/listen-address.ts'
import { FolderInUse } from '../../lib/shared-folder/folder-lock.ts'
import { placeProblems } from './check-config.ts'
import { readCommandLine } from './command-line.ts'
import { type Config, type ConfigReading, isDisabled, readConfig, type Surroundings } from './config.ts'
import { readFarms } from './farms-folder.ts'
import { run } from './run.ts'
import { serveFarms } from './serve-farms.ts'
import type { RunningServer } from './server.ts'
import { listenVariables, startProblem } from './start-problem.ts'

/** The output of `--check-config` for an environment without problems. */
export const inOrder = 'the configuration is in order\n'

/** The environment of this process. */
export const surroundings = (env: Surroundings['env']): Surroundings => ({
  env,
  readFile: (path) => readFileSync(path, 'utf8'),
  isTerminal: process.stdout.isTTY === true,
  newKey: () => randomBytes(32).toString('base64'),
})

export async function main(args: readonly string[]): Promise<void> {
  const asked = readCommandLine('serve', args)
  if (asked === undefined) return
  if (isDisabled(process.env)) {
    process.stdout.write('API_ENABLED is false: the control API does not start\n')
    return
  }
  const isCheck = asked.what === 'check-config'
  if (asked.farms !== undefined) {
    const all = await readFarms(asked.farms, surroundings(process.env), (one) => read(one, isCheck))
    if ('problems' in all) refuse(all.problems)
    else if (isCheck) process.stdout.write(inOrder)
    else await serveFarms(all.farms)
    return
  }
  const reading = await read(surroundings(process.env), isCheck)
  if ('problems' in reading) refuse(reading.problems)
  else if (isCheck) process.stdout.write(inOrder)
  else await start(reading.config)
}

function refuse(problems: readonly EnvironmentProblem[]): void {
  process.stderr.write(problemLines(problems))
  process.exitCode = exitCodes.wrongEnvironment
}

/**
 * Only `--check-config` tries the folders: a start without them continues with records in memory and without backups.
 */
async function read(of: Surroundings, isCheck: boolean): Promise<ConfigReading> {
  const reading = await readHost(readConfig(of), of.env['API_HOST']?.trim())
  return isCheck ? withProblems(reading, await placeProblems(of)) : reading
}

function withProblems(reading: ConfigReading, more: readonly EnvironmentProblem[]): ConfigReading {
  const [first, ...rest] = ['problems' in reading ? reading.problems : [], more].flat()
  return first === undefined ? reading : { problems: [first, ...rest] }
}

/** Adds a problem to a reading when this machine cannot listen on `API_HOST`. */
async function readHost(reading: ConfigReading, host: string | undefined): Promise<ConfigReading> {
  const problem = host ? await hostProblem(listenVariables.host, host) : undefined
  return withProblems(reading, problem === undefined ? [] : [problem])
}

/**
 * Starts the control API. When it cannot (a port in use, an unknown host), it says why in one line and exits with 1;
 * with 78 when another process uses one of its folders.
 */
export async function start(config: Config): Promise<RunningServer> {
  try {
    return await run(config)
  } catch (error) {
    if (error instanceof FolderInUse) {
      process.stderr.write(`cannot start: ${error.message}\n`)
      process.exit(exitCodes.wrongEnvironment)
    }
    process.stderr.write(`cannot start: ${startProblem(error, config)}\n`)
    process.exit(exitCodes.failed)
  }
}
