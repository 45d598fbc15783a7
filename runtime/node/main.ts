/** Reads the arguments and the environment of `npm run serve`, and starts the control API. */
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import * as v from 'valibot'
import { type EnvironmentProblem, problemLines } from '../../process/environment.ts'
import { exitCodes } from '../../process/exit-codes.ts'
import { hostProblem, listenProblem } from '../../process/listen-address.ts'
import { folderProblem } from '../records/check-folder.ts'
import { readCommandLine } from './command-line.ts'
import { type Config, type ConfigReading, isDisabled, readConfig, type Surroundings } from './config.ts'
import { run } from './run.ts'
import type { RunningServer } from './server.ts'
import { variables } from './variables.ts'

/** What `--check-config` says of an environment without problems. */
export const inOrder = 'the configuration is in order\n'

const listenVariables = { host: 'API_HOST', port: 'API_PORT' }

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
  const { env } = process
  const read = await readHost(readConfig(surroundings(env)), env['API_HOST']?.trim())
  // Only told here: a process that runs goes on in memory when `DATA_DIR` cannot be used.
  const reading = asked === 'check-config' ? readFolder(read, env['DATA_DIR']?.trim()) : read
  if ('problems' in reading) {
    process.stderr.write(problemLines(reading.problems))
    process.exitCode = exitCodes.wrongEnvironment
    return
  }
  if (asked === 'check-config') process.stdout.write(inOrder)
  else await start(reading.config)
}

/** Adds a problem to a reading when `DATA_DIR` cannot be used. */
function readFolder(reading: ConfigReading, given: string | undefined): ConfigReading {
  const problem = folderProblem(v.parse(variables.schema.entries.DATA_DIR, given || undefined))
  return problem === undefined ? reading : withProblem(reading, { variable: 'DATA_DIR', problem })
}

const withProblem = (reading: ConfigReading, problem: EnvironmentProblem): ConfigReading => ({
  problems: 'problems' in reading ? [...reading.problems, problem] : [problem],
})

/** Adds a problem to a reading when this machine cannot listen on `API_HOST`. */
async function readHost(reading: ConfigReading, host: string | undefined): Promise<ConfigReading> {
  const problem = host ? await hostProblem(listenVariables.host, host) : undefined
  return problem === undefined ? reading : withProblem(reading, problem)
}

/** Starts the control API; when it cannot (a port in use, an unknown host), says why in one line and exits with 1. */
export async function start(config: Config): Promise<RunningServer> {
  try {
    return await run(config)
  } catch (error) {
    const at = { port: config.API_PORT, host: config.API_HOST }
    const told = listenProblem(error, at, listenVariables)
    process.stderr.write(
      `cannot start: ${told ?? (error instanceof Error ? error.message : 'unknown reason')}\n`,
    )
    process.exit(exitCodes.failed)
  }
}
