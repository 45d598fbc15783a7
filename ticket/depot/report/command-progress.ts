import type { CommandContext } from '../../command-context.ts'
import type { Progress } from '../progress.ts'
import { outputProgress } from './progress-output.ts'

/** The progress of a command on stderr, with secrets replaced. An interrupt removes the bar. */
export function commandProgress({ secrets, signal }: CommandContext): Progress {
  const { stderr } = process
  const output = {
    write: (text: string) => stderr.write(secrets.blank(text)),
    // On a terminal without a cursor a bar cannot be redrawn.
    isTTY: stderr.isTTY && process.env['TERM'] !== 'dumb',
    get columns() {
      return stderr.columns
    },
  }
  const progress = outputProgress(output, () => performance.now())
  signal.addEventListener('abort', () => progress.end(), { once: true })
  return progress
}
