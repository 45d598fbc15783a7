import type { CommandContext } from '../../command-context.ts'
import type { Progress } from '../progress.ts'
import { outputProgress } from './progress-output.ts'

/** A command's progress on standard error, without any secret. An interrupt takes the bar away. */
export function commandProgress({ secrets, signal }: CommandContext): Progress {
  const { stderr } = process
  const output = {
    write: (text: string) => stderr.write(secrets.blank(text)),
    isTTY: stderr.isTTY,
    get columns() {
      return stderr.columns
    },
  }
  const progress = outputProgress(output, () => performance.now())
  signal.addEventListener('abort', () => progress.end(), { once: true })
  return progress
}
