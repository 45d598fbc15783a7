import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { systemClock } from '../lib/clock.ts'
import { problemLines } from '../lib/environment.ts'
import { shellJobControl } from '../lib/terminal/job-control.ts'
import { terminalPrompter } from '../lib/terminal/prompter.ts'
import type { CommandContext, RunCommand } from './command-context.ts'
import { allFlags, type CommandName, flagsOf, helpText, isCommand } from './command-list.ts'
import { readConfig, secretsOf } from './config.ts'
import { exitCodes, Failure, failureOf } from './errors.ts'
import { makeLog } from './log.ts'
import { makeSecrets } from './secrets.ts'

const secrets = makeSecrets()
const say = (text: string) => void process.stderr.write(`${secrets.blank(text)}\n`)

/** Writes a result to stdout. A failed write is not an error here. */
function result(text: string): Promise<void> {
  return new Promise((resolve) => process.stdout.write(text, () => resolve()))
}

function version(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
  return /"version":\s*"([^"]+)"/.exec(text)?.[1] ?? 'unknown'
}

/** Reads the command line. @throws Failure of kind `usage` */
function commandLine(): {
  name: CommandName | undefined
  flags: ReadonlySet<string>
  positionals: readonly string[]
} {
  try {
    const { values, positionals } = parseArgs({
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

async function main(signal: AbortSignal, interrupt: () => void): Promise<void> {
  const { name, flags, positionals } = commandLine()
  if (flags.has('help')) return result(helpText(name))
  if (flags.has('version')) return result(`${version()}\n`)
  if (positionals.length > 1) throw new Failure('usage', 'One command at a time. Try --help.')
  const { config, problems } = readConfig(process.env)
  if (problems !== undefined) {
    throw new Failure('environment', problemLines(problems).trimEnd())
  }
  secrets.hide(...secretsOf(config))
  const pretty =
    config.logFormat === undefined ? process.stderr.isTTY === true : config.logFormat === 'pretty'
  // False for a file, for a terminal without colours (TERM=dumb) and with NO_COLOR.
  const colours = process.stderr.isTTY === true && process.stderr.hasColors()
  const prompter = terminalPrompter(
    { input: process.stdin, output: process.stderr, jobControl: shellJobControl, interrupt },
    () => new Failure('login_needed', 'Not signed in: no answer on standard input.'),
  )
  const log = makeLog({ level: config.logLevel, pretty, colours, secrets })
  const context: CommandContext = {
    config,
    log,
    secrets,
    clock: systemClock,
    signal,
    flags,
    pretty,
    colours,
    prompter,
    result,
    say,
  }
  // steam-user can throw in its own callbacks. The command then ends with a sentence in place of a stack trace.
  process.on('unhandledRejection', (error) => end(error))
  process.on('uncaughtException', (error) => end(error))
  const run = await load(name ?? 'serve')
  await run(context)
}

function end(error: unknown): never {
  const failure = failureOf(error)
  say(failure.message)
  process.exit(exitCodes[failure.kind])
}

/** Milliseconds. A terminal and npm both send a signal for one Ctrl-C; a later signal exits without waiting. */
const duplicateSignalWindow = 1000
const stop = new AbortController()
let interruptedAt = 0
const interrupt = () => {
  if (stop.signal.aborted) {
    if (performance.now() - interruptedAt >= duplicateSignalWindow) process.exit(exitCodes.interrupted)
    return
  }
  interruptedAt = performance.now()
  stop.abort(new Failure('interrupted', 'Interrupted.'))
}
process.on('SIGINT', interrupt)
process.on('SIGTERM', interrupt)
process.stdout.on('error', () => process.exit(exitCodes.failed))
main(stop.signal, interrupt).then(
  () => process.exit(0),
  (error: unknown) => end(stop.signal.aborted ? stop.signal.reason : error),
)
