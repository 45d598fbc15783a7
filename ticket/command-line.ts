import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { systemClock } from '../lib/clock.ts'
import { type Environment, problemLines } from '../lib/environment.ts'
import type { Terminal } from '../lib/terminal/keyboard.ts'
import { terminalPrompter } from '../lib/terminal/prompter.ts'
import type { CommandContext, RunCommand } from './command-context.ts'
import { allFlags, type CommandName, flagsOf, helpText, isCommand } from './command-list.ts'
import { readConfig, secretsOf } from './config.ts'
import { exitCodes, Failure, failureOf } from './errors.ts'
import { makeLog } from './log.ts'
import { makeSecrets } from './secrets.ts'

/** What a command line has of its process. */
interface Surroundings {
  /** The words after the name of the program. */
  readonly args: readonly string[]
  readonly environment: Environment
  /** Stdin and stderr. */
  readonly terminal: Terminal
  /** Whether stderr shows colours. */
  readonly colours: boolean
  /** Writes a result to stdout. A failed write is not an error here. */
  result(text: string): Promise<void>
  /** Where log lines go; stderr unless given. */
  readonly writeLog?: (line: string) => void
  /** Aborts on SIGINT and SIGTERM. */
  readonly signal: AbortSignal
}

/** A command line, before it runs. */
interface CommandLine {
  /** Runs its command. @returns the exit code */
  run(): Promise<number>
  /** Writes a sentence about an error to stderr. @returns the exit code */
  fail(error: unknown): number
}

export function commandLine(surroundings: Surroundings): CommandLine {
  const { terminal, signal } = surroundings
  const { output } = terminal
  const secrets = makeSecrets()
  const say = (text: string) => void output.write(`${secrets.blank(text)}\n`)
  const fail = (error: unknown): number => {
    const failure = failureOf(error)
    say(failure.message)
    return exitCodes[failure.kind]
  }

  async function main(): Promise<void> {
    const { args, environment, result, colours, writeLog } = surroundings
    const { name, flags, positionals } = wordsOf(args)
    if (flags.has('help')) return result(helpText(name))
    if (flags.has('version')) return result(`${version()}\n`)
    if (positionals.length > 1) throw new Failure('usage', 'One command at a time. Try --help.')
    const { config, problems } = readConfig(environment)
    if (problems !== undefined) {
      throw new Failure('environment', problemLines(problems).trimEnd())
    }
    secrets.hide(...secretsOf(config))
    const pretty = config.logFormat === undefined ? output.isTTY === true : config.logFormat === 'pretty'
    const prompter = terminalPrompter(
      terminal,
      () => new Failure('login_needed', 'Not signed in: no answer on standard input.'),
    )
    const context: CommandContext = {
      config,
      log: makeLog({ level: config.logLevel, pretty, colours, secrets, write: writeLog }),
      secrets,
      clock: systemClock,
      signal,
      flags,
      pretty,
      colours,
      prompter,
      output,
      // On a terminal without a cursor a bar cannot be redrawn.
      drawsBar: output.isTTY === true && environment['TERM'] !== 'dumb',
      result,
      say,
    }
    const run = await load(name ?? 'serve')
    await run(context)
  }

  return {
    fail,
    run: () =>
      main().then(
        () => 0,
        (error: unknown) => fail(signal.aborted ? signal.reason : error),
      ),
  }
}

function version(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
  return /"version":\s*"([^"]+)"/.exec(text)?.[1] ?? 'unknown'
}

/** Reads the words of the command line. @throws Failure of kind `usage` */
function wordsOf(args: readonly string[]): {
  name: CommandName | undefined
  flags: ReadonlySet<string>
  positionals: readonly string[]
} {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean' },
        ...Object.fromEntries(allFlags.map((flag) => [flag, { type: 'boolean' as const }])),
      },
    })
    const [word] = positionals
    const name = word === undefined ? undefined : word.toLowerCase()
    if (name !== undefined && !isCommand(name))
      throw new Failure('usage', `There is no command ${word}. Try --help.`)
    const given = Object.keys(values)
    const known: readonly string[] = ['help', 'version', ...flagsOf(name ?? 'serve')]
    const unknownFlag = given.find((flag) => !known.includes(flag))
    if (unknownFlag !== undefined)
      throw new Failure('usage', `${name ?? 'serve'} has no option --${unknownFlag}. Try --help.`)
    return { name, flags: new Set(given), positionals }
  } catch (error) {
    if (error instanceof Failure) throw error
    throw new Failure('usage', `${error instanceof Error ? error.message : error}. Try --help.`)
  }
}

async function load(name: CommandName): Promise<RunCommand> {
  const { run }: { run: RunCommand } = await import(`./commands/${name}.ts`)
  return run
}
