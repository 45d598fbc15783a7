import type { CommandContext } from '../../command-context.ts'
import type { Progress } from '../progress.ts'
import { outputProgress } from './progress-output.ts'

/** The progress of a command on stderr, with secrets replaced. An interrupt removes the bar. */
export function commandProgress({ secrets, signal, output, drawsBar }: CommandContext): Progress {
  const blanked = {
    write: (text: string) => output.write(secrets.blank(text)),
    isTTY: drawsBar,
    get columns() {
      return output.columns
    },
  }
  const progress = outputProgress(blanked, () => performance.now())
  signal.addEventListener('abort', () => progress.end(), { once: true })
  return progress
}
