import { shellJobControl } from '../lib/terminal/job-control.ts'
import { commandLine } from './command-line.ts'
import { exitCodes, Failure } from './errors.ts'

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
const { run, fail } = commandLine({
  args: process.argv.slice(2),
  environment: process.env,
  terminal: { input: process.stdin, output: process.stderr, jobControl: shellJobControl, interrupt },
  // False for a file, for a terminal without colours (TERM=dumb) and with NO_COLOR.
  colours: process.stderr.isTTY === true && process.stderr.hasColors(),
  result: (text) => new Promise((resolve) => process.stdout.write(text, () => resolve())),
  signal: stop.signal,
})
process.on('SIGINT', interrupt)
process.on('SIGTERM', interrupt)
process.stdout.on('error', () => process.exit(exitCodes.failed))
// steam-user can throw in its own callbacks. The command then ends with a sentence in place of a stack trace.
process.on('unhandledRejection', (error) => process.exit(fail(error)))
process.on('uncaughtException', (error) => process.exit(fail(error)))
run().then((code) => process.exit(code))
