import type { Progress } from '../progress.ts'

/** Milliseconds. A bar is not drawn more often either. */
const reportInterval = 100

/** Progress that is passed on to another thread: of thousands of chunks it tells only ten times a second. */
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
