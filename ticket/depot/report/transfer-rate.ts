import type { DownloadAmount } from '../../download-port.ts'
import type { Phase } from '../progress.ts'
import { duration, size } from '../sizes.ts'

/** Counts the bytes of one phase and computes their rate. */
export type TransferRate = ReturnType<typeof transferRate>

/** Milliseconds over which the rate is averaged. */
const rateWindow = 8000

/** @param now monotonic milliseconds */
export function transferRate(now: () => number) {
  let phase: Phase | undefined
  let total = 0
  let done = 0
  let marks: { at: number; done: number }[] = []

  const rate = (): number => {
    const at = now()
    const first = marks.find((mark) => mark.at >= at - rateWindow) ?? marks.at(-1)
    if (first === undefined || at - first.at < 200) return 0
    return ((done - first.done) / (at - first.at)) * 1000
  }

  return {
    get phase(): Phase | undefined {
      return phase
    },
    start(next: Phase, bytes: number) {
      phase = next
      total = bytes
      done = 0
      marks = [{ at: now(), done: 0 }]
    },
    add(bytes: number) {
      done += bytes
      const at = now()
      if (at - (marks.at(-1)?.at ?? 0) < 250) return
      marks.push({ at, done })
      while (marks.length > 2 && (marks[1]?.at ?? at) < at - rateWindow) marks.shift()
    },
    /** The bytes of a phase that downloads; undefined in any other. */
    amount(): DownloadAmount | undefined {
      if ((phase !== 'downloading' && phase !== 'updating') || total === 0) return undefined
      const bytesPerSecond = Math.round(rate())
      const secondsLeft =
        bytesPerSecond > 0 ? Math.ceil(Math.max(0, total - done) / bytesPerSecond) : undefined
      return { bytes: Math.min(done, total), totalBytes: total, bytesPerSecond, secondsLeft }
    },
    /** Share of the phase that is done, 0 to 1. */
    share: () => (total === 0 ? 0 : Math.min(1, done / total)),
    /**
     * For instance `downloading 120.5 MB of 600.0 MB (20 %), 35.2 MB/s, 14 s left`; parts are omitted, the least
     * important ones first, until it is at most `width` characters long.
     */
    line(width: number = Number.POSITIVE_INFINITY): string {
      if (phase === undefined) return ''
      if (total === 0) return phase.slice(0, width)
      const percent = `${Math.min(100, Math.floor((done / total) * 100))} %`
      const amount = `${size(done)} of ${size(total)} (${percent})`
      const speed = rate()
      const perSecond = speed > 0 ? `, ${size(Math.round(speed))}/s` : ''
      const left = speed > 0 ? `, ${duration(Math.max(0, total - done) / speed)} left` : ''
      const texts = [
        `${phase} ${amount}${perSecond}${left}`,
        `${phase} ${percent}${perSecond}${left}`,
        `${phase} ${percent}${left}`,
        percent,
      ]
      return texts.find(({ length }) => length <= width) ?? ''
    },
  }
}
