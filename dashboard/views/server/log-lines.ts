/** The log of the game as the page shows it, in blocks of lines that do not change. */
import { type ReadonlySignal, signal } from '@preact/signals'
import { type Farm, followLog, type LogEvent } from '../../../client/index.ts'

/** `id` counts up on this page. */
export type LogRow = LogEvent & { readonly id: number }

export interface LogLines {
  /** Oldest first. */
  readonly blocks: ReadonlySignal<readonly (readonly LogRow[])[]>
  readonly error: ReadonlySignal<unknown>
  close(): void
}

const [linesRead, blockSize, maxBlocks] = [500, 100, 30]
/** Milliseconds in which lines are gathered before the page is drawn again. */
const gather = 50

export function logLines(farm: Farm): LogLines {
  const blocks = signal<readonly (readonly LogRow[])[]>([])
  const error = signal<unknown>(undefined)
  const ended = new AbortController()
  let lastId = 0
  let waiting: LogRow[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  const draw = () => {
    timer = undefined
    const next = [...blocks.value]
    for (const row of waiting) {
      const last = next.at(-1)
      if (last === undefined || last.length >= blockSize) next.push([row])
      else next[next.length - 1] = [...last, row]
    }
    waiting = []
    blocks.value = next.slice(-maxBlocks)
  }
  followLog(farm, {
    lines: linesRead,
    signal: ended.signal,
    failed(reason) {
      error.value = reason
    },
    heard(line) {
      lastId += 1
      waiting.push({ id: lastId, ...line })
      timer ??= setTimeout(draw, gather)
    },
  })
  return {
    blocks,
    error,
    close() {
      clearTimeout(timer)
      ended.abort()
    },
  }
}
