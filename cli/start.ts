/** Joins a command to its process: streams, signals, exit code. */
import type { Environment } from '../lib/environment.ts'
import { shellJobControl } from '../lib/terminal/job-control.ts'
import type { Terminal } from '../lib/terminal/keyboard.ts'
import { terminalPrompter } from '../lib/terminal/prompter.ts'
import { exitCodes } from './outcome/exit-codes.ts'
import { Failure, wrongUsage } from './outcome/failure.ts'
import { runProgram } from './program.ts'
import type { Context } from './terminal/context.ts'
import { type OutputStream, output } from './terminal/output.ts'

export async function main(): Promise<void> {
  const { stdout, stderr, argv } = process
  let runsOn = false
  // The reader of a pipe has ended, as `head` does.
  stdout.on('error', () => process.exit(exitCodes.failed))
  const context = contextOf(process, () => {
    runsOn = true
  })
  const code = await runProgram(argv.slice(2), context)
  if (runsOn && code === exitCodes.done) return
  // Output to a pipe may still be on its way.
  stdout.write('', () => stderr.write('', () => process.exit(code)))
}

interface Surroundings {
  readonly env: Environment
  readonly stdin: Terminal['input']
  readonly stdout: OutputStream
  readonly stderr: OutputStream
  on(signal: NodeJS.Signals, listener: () => void): unknown
}

/** @param around the process @param runOn called by a command after whose end the process continues */
export function contextOf(around: Surroundings, runOn: () => void): Context {
  const { stdin, stdout, stderr, env } = around
  const stop = new AbortController()
  const interrupt = () => stop.abort(new Failure(exitCodes.interrupted, 'Interrupted.'))
  let isHandled = false
  return {
    env,
    out: output(stdout, env),
    notes: output(stderr, env),
    hasPerson: stdin.isTTY === true,
    input: stdin,
    prompter: terminalPrompter({ input: stdin, output: stderr, jobControl: shellJobControl, interrupt }, () =>
      wrongUsage('No answer on standard input.'),
    ),
    interrupted() {
      if (!isHandled)
        for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) around.on(signal, interrupt)
      isHandled = true
      return stop.signal
    },
    runOn,
  }
}
