/**
 * Runs commands one after another in one process on a terminal, because most of a command's time is the start of the process. After
 * each of them both streams get a mark, that on stdout with the exit code.
 */
import { runProgram } from '../../cli/program.ts'
import { contextOf } from '../../cli/start.ts'

const context = contextOf(process, () => undefined)
const commands: string[][] = JSON.parse(process.argv[2] ?? '[]')
for (const args of commands) {
  const code = await runProgram(args, context)
  process.stderr.write('\x1e')
  process.stdout.write(`\x1e${code}\x1e`)
}
process.exitCode = 0
