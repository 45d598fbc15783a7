/** What `serve` does with its arguments and environment, before anything runs. */
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { problemLines } from '../../process/environment.ts'
import { exitCodes } from '../../process/exit-codes.ts'
import { version } from '../version.ts'
import { type Config, isDisabled, readConfig, type Surroundings } from './config.ts'
import { run } from './run.ts'
import type { RunningServer } from './server.ts'

const usage = `farmgate ${version}: control API of a dedicated Stardew Valley server

  npm run serve                      run, configured by the environment
  npm run serve -- --check-config    check the environment and end
  npm run serve -- --help | --version

The variables are described in docs/configuration.md.
`

/** The environment of this process. */
export const surroundings = (env: Surroundings['env']): Surroundings => ({
  env,
  readFile: (path) => readFileSync(path, 'utf8'),
  isTerminal: process.stdout.isTTY === true,
  newKey: () => randomBytes(32).toString('base64'),
})

export async function main(args: readonly string[]): Promise<void> {
  const options = readArguments(args)
  if (options === undefined) {
    process.stderr.write(usage)
    process.exitCode = exitCodes.wrongUsage
    return
  }
  if (options.help || options.version) {
    process.stdout.write(options.help ? usage : `${version}\n`)
    return
  }
  if (isDisabled(process.env)) {
    process.stdout.write('API_ENABLED is false: the control API does not start\n')
    return
  }
  const reading = readConfig(surroundings(process.env))
  if ('problems' in reading) {
    process.stderr.write(problemLines(reading.problems))
    process.exitCode = exitCodes.wrongEnvironment
    return
  }
  if (options['check-config']) {
    process.stdout.write('the configuration is in order\n')
    return
  }
  await start(reading.config)
}

/** Runs a config; what keeps it from starting (a port in use, an unknown host) is told in one line. */
export async function start(config: Config): Promise<RunningServer> {
  try {
    return await run(config)
  } catch (error) {
    process.stderr.write(`cannot start: ${error instanceof Error ? error.message : 'unknown reason'}\n`)
    process.exit(exitCodes.failed)
  }
}

function readArguments(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        help: { type: 'boolean' },
        version: { type: 'boolean' },
        'check-config': { type: 'boolean' },
      },
    }).values
  } catch {
    return undefined
  }
}
