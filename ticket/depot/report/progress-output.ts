import type { Progress } from '../progress.ts'
import { transferRate } from './transfer-rate.ts'

/** The stream that progress is written to: stderr. */
export interface ProgressOutput {
  write(text: string): unknown
  readonly isTTY?: boolean
  readonly columns?: number
}

const redrawInterval = 100
const lineInterval = 10_000
const barWidth = 24

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
    const filled = Math.round(rate.share() * barWidth)
    const text = ` ${'█'.repeat(filled)}${'░'.repeat(barWidth - filled)} ${rate.text()}`
    output.write(`\r${text.slice(0, (output.columns ?? 80) - 1)}\u001b[K`)
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

function lineProgress(output: ProgressOutput, now: () => number): Progress {
  return everyTenSeconds(
    (text) => void output.write(`${text}\n`),
    (text) => void output.write(`Warning: ${text}\n`),
    now,
  )
}

/** Writes the progress of a download to a log, a line every ten seconds. */
export function logProgress(
  log: { info(text: string): void; warn(text: string): void },
  now: () => number,
): Progress {
  return everyTenSeconds(
    (text) => log.info(text),
    (text) => log.warn(text),
    now,
  )
}

function everyTenSeconds(
  say: (text: string) => void,
  warn: (text: string) => void,
  now: () => number,
): Progress {
  const rate = transferRate(now)
  let timer: NodeJS.Timeout | undefined
  return {
    phase(phase, total) {
      rate.start(phase, total)
      timer ??= setInterval(() => say(rate.text()), lineInterval).unref()
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
