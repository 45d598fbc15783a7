/** The chat as the page shows it: lines of the game, and lines from this page once the server confirmed them. */
import { batch, computed, type ReadonlySignal, signal } from '@preact/signals'
import type { ChatLine, Farm, Live } from '../../client/index.ts'
import { chatHappenings } from './chat-happenings.ts'

export interface ShownLine {
  /** Unique on this page; it counts up, and below zero for lines that were fetched later. */
  readonly id: number
  readonly kind: 'heard' | 'said' | 'gap'
  readonly playerName: string
  readonly message: string
  /** Milliseconds since 1970. */
  readonly at: number
}

const blockSize = 50
/** Maximum of kept lines; older ones can be fetched again. */
const maxBlocks = 240
/** Milliseconds in which lines are gathered before the page is drawn again. */
const gather = 40

/** Maximum of unread lines whose times are kept; the page shows “99+” for more than 99. */
const maxUnread = 1000

export interface FarmClock {
  /** Milliseconds since 1970, by the clock of the farm. */
  now(): number
  /** When the page was opened, by the clock of the farm; undefined until that clock is known. */
  readonly opened: ReadonlySignal<number | undefined>
}

export function openChatLog(farm: Farm, live: Live, mayRead: boolean, { now, opened }: FarmClock) {
  const blocks = signal<readonly (readonly ShownLine[])[]>([])
  /** The times of the lines that came since the chat was last open. */
  const unseen = signal<readonly number[]>([])
  // The server first sends the lines that it still has: those from before the page was opened are not new.
  const unread = computed(() => {
    const from = opened.value
    return from === undefined ? 0 : unseen.value.filter((at) => at > from).length
  })
  const hasEarlier = signal(mayRead)
  const isReading = { value: false }
  let lastId = 0
  let firstId = 0
  let before: string | undefined
  let waiting: ShownLine[] = []

  const draw = () => {
    const next = [...blocks.value]
    for (const line of waiting) {
      const last = next.at(-1)
      if (last === undefined || last.length >= blockSize) next.push([line])
      else next[next.length - 1] = [...last, line]
    }
    const heard = waiting.filter(({ kind }) => kind === 'heard').map(({ at }) => at)
    waiting = []
    batch(() => {
      blocks.value = next.slice(-maxBlocks)
      if (next.length > maxBlocks) {
        before = undefined
        hasEarlier.value = mayRead
      }
      if (isReading.value && !document.hidden) unseen.value = []
      else if (heard.length > 0) unseen.value = [...unseen.value, ...heard].slice(-maxUnread)
    })
  }
  const add = (line: Omit<ShownLine, 'id'>) => {
    if (waiting.length === 0) setTimeout(draw, gather)
    lastId += 1
    waiting.push({ id: lastId, ...line })
  }
  /** The newest fetched lines: one that is said during the fetch comes over the live connection too. */
  let fetched: ReadonlySet<number> = new Set()
  live.on('chat', ({ seq, playerName, message, timestamp }: ChatLine) => {
    if (fetched.has(seq)) return
    add({ kind: 'heard', playerName, message, at: Date.parse(timestamp) })
  })
  /** @param otherwise its time where there is no line before it */
  const addGap = (otherwise?: number) => {
    const last = waiting.at(-1) ?? blocks.value.at(-1)?.at(-1)
    // Earlier lines now follow it, so it has the time of the line before it: a later one would begin another day.
    const at = last?.at ?? otherwise
    if (at !== undefined && last?.kind !== 'gap') add({ kind: 'gap', playerName: '', message: '', at })
  }
  live.on('gap', () => addGap())
  live.on('missed', ({ to }) => addGap(Date.parse(to)))
  return {
    /** Oldest first, in blocks of which only the last changes, so that a new line draws only its own block. */
    blocks,
    /** Lines since the chat was last open. */
    unread,
    /** Whether there may be older lines than those shown. */
    hasEarlier,
    /** Joins, leaves and days; read when the chat is opened. */
    happenings: chatHappenings(farm, live),
    /** Whether the chat is open. */
    isReading,
    /** All lines were read, if the page is visible. */
    seen() {
      if (!document.hidden) unseen.value = []
    },
    /** @throws {FarmgateError} as `Live.say` */
    async say(author: string, message: string): Promise<void> {
      await live.say({ author, message })
      add({ kind: 'said', playerName: author, message, at: now() })
    },
    /** @throws {FarmgateError} */
    async earlier(): Promise<void> {
      const page = await farm.historyChat({ limit: 200, before })
      before = page.next
      draw()
      if (blocks.value.length === 0) fetched = new Set(page.lines.map(({ seq }) => seq))
      const oldest = blocks.value[0]?.[0]?.at ?? Number.POSITIVE_INFINITY
      const lines = page.lines
        .map((line) => ({ ...line, at: Date.parse(line.timestamp) }))
        .filter(({ at }) => at < oldest)
        .map(({ playerName, message, at }): ShownLine => {
          firstId -= 1
          return { id: firstId, kind: 'heard', playerName, message, at }
        })
        .reverse()
      const more: ShownLine[][] = []
      for (let from = 0; from < lines.length; from += blockSize)
        more.push(lines.slice(from, from + blockSize))
      batch(() => {
        blocks.value = [...more, ...blocks.value]
        hasEarlier.value = before !== undefined
      })
    },
  }
}
