import type { Progress } from '../progress.ts'
import type { FromThread } from './messages.ts'

/** Milliseconds. A bar is not drawn more often either. */
const reportInterval = 100

/** Progress in the download's thread: tells the other thread, of thousands of chunks only ten times a second. */
export function tellingProgress(send: (message: FromThread) => void): Progress {
  let bytes = 0
  let timer: NodeJS.Timeout | undefined
  const tell = (): void => {
    if (bytes > 0) send({ kind: 'advance', bytes })
    bytes = 0
  }
  return {
    phase(phase, total) {
      tell()
      send({ kind: 'phase', phase, total })
      timer ??= setInterval(tell, reportInterval).unref()
    },
    advance(count) {
      bytes += count
    },
    say(text) {
      send({ kind: 'say', text })
    },
    warn(text) {
      send({ kind: 'warn', text })
    },
    end() {
      clearInterval(timer)
      timer = undefined
      tell()
      send({ kind: 'end' })
    },
  }
}
