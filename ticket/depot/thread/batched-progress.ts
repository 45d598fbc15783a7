import type { Progress } from '../progress.ts'

/** Milliseconds; the redraw interval of the bar. */
const reportInterval = 100

/** Forwards progress to another thread. Bytes are added up and sent ten times a second, not for each chunk. */
export function batchedProgress(
  to: { [Name in keyof Progress]: (...args: Parameters<Progress[Name]>) => unknown },
): Progress {
  let bytes = 0
  let timer: NodeJS.Timeout | undefined
  const flush = (): void => {
    if (bytes > 0) to.advance(bytes)
    bytes = 0
  }
  return {
    phase(phase, total) {
      flush()
      to.phase(phase, total)
      timer ??= setInterval(flush, reportInterval).unref()
    },
    advance(count) {
      bytes += count
    },
    say: (text) => void to.say(text),
    warn: (text) => void to.warn(text),
    end() {
      clearInterval(timer)
      timer = undefined
      flush()
      to.end()
    },
  }
}
