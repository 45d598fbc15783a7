import type { Log } from '../../../lib/log.ts'
import type { Progress } from '../progress.ts'
import { type TransferRate, transferRate } from './transfer-rate.ts'

/** The stream that progress is written to: stderr. */
export interface ProgressOutput {
  write(text: string): unknown
  readonly isTTY?: boolean
  readonly columns?: number | undefined
}

const redrawInterval = 100
const lineInterval = 10_000
const maxBarWidth = 24
const minBarWidth = 8

/**
 * Shows the progress of a download: a bar on a terminal, otherwise a line every ten seconds.
 * @param now monotonic milliseconds
 */
export function outputProgress(output: ProgressOutput, now: () => number): Progress {
  return output.isTTY === true ? barProgress(output, now) : lineProgress(output, now)
}

/**
 * Draws a progress bar. cli-progress is not used: the recent rate, the cut at the width of the terminal and the lines
 * above the bar would still be needed here, and it depends on five more packages.
 */
function barProgress(output: ProgressOutput, now: () => number): Progress {
  const rate = transferRate(now)
  let timer: NodeJS.Timeout | undefined
  const clear = (): void => void output.write('\r\u001b[K')
  const draw = (): void => {
    if (rate.phase === undefined) return
    // The last column stays empty: some terminals begin a new line after a character in it.
    const width = (output.columns || 80) - 1
    const text = rate.line(width)
    const room = Math.min(maxBarWidth, width - text.length - 3)
    output.write(`\r${room < minBarWidth ? '' : `${bar(room, rate.share())} `}${text}\u001b[K`)
  }
  const say = (text: string): void => {
    clear()
    output.write(`${text}\n`)
  }
  return {
    phase(phase, total) {
      rate.start(phase, total)
      timer ??= setInterval(draw, redrawInterval).unref()
      draw()
    },
    advance: (bytes) => rate.add(bytes),
    say,
    warn: (text) => say(`Warning: ${text}`),
    end() {
      clearInterval(timer)
      timer = undefined
      clear()
    },
  }
}

/** In ASCII: block characters are two columns wide on some Chinese, Japanese and Korean terminals. */
function bar(width: number, share: number): string {
  const filled = Math.round(share * width)
  return `[${'#'.repeat(filled)}${'-'.repeat(width - filled)}]`
}

function lineProgress(output: ProgressOutput, now: () => number): Progress {
  return everyTenSeconds(
    (text) => void output.write(`${text}\n`),
    (text) => void output.write(`Warning: ${text}\n`),
    transferRate(now),
  )
}

/** Writes the progress of a download to a log, a line every ten seconds. */
export function logProgress(
  log: Pick<Log, 'info' | 'warn'>,
  now: () => number,
  rate: TransferRate = transferRate(now),
): Progress {
  return everyTenSeconds(
    (text) => log.info({}, text),
    (text) => log.warn({}, text),
    rate,
  )
}

function everyTenSeconds(
  say: (text: string) => void,
  warn: (text: string) => void,
  rate: TransferRate,
): Progress {
  let timer: NodeJS.Timeout | undefined
  return {
    phase(phase, total) {
      rate.start(phase, total)
      timer ??= setInterval(() => say(rate.line()), lineInterval).unref()
    },
    advance: (bytes) => rate.add(bytes),
    say,
    warn,
    end() {
      clearInterval(timer)
      timer = undefined
    },
  }
}
