import type { RoomClient } from '../../handlers/chat/room-client.ts'

/** The client that sent the lines. */
type Speaker = Pick<RoomClient, 'address' | 'isCommand'>

export interface SummedLines<About> {
  /** Counts lines of a group. @param about what to write about the group */
  note(group: string, lines: number, speaker: Speaker, about: About): void
  /** Writes what is due; call this now and then. @param isLast whether to write all */
  flush(isLast?: boolean): void
}

const minute = 60_000

/**
 * Sums up refused lines, of which there can be hundreds a second: for each group writes the first ones at once, then
 * at most once a minute how many there were since.
 * @param write gets the last sender, and how many lines there were
 * @param monotonic milliseconds, never running backwards
 */
export function summedLines<About>(
  write: (lines: number, speaker: Speaker, about: About) => void,
  monotonic: () => number,
): SummedLines<About> {
  const groups = new Map<string, { lines: number; writtenAt: number; speaker: Speaker; about: About }>()
  const flush = (isLast = false) => {
    for (const [group, one] of groups) {
      if (!isLast && monotonic() - one.writtenAt < minute) continue
      if (one.lines === 0) {
        groups.delete(group)
        continue
      }
      write(one.lines, one.speaker, one.about)
      one.writtenAt = monotonic()
      one.lines = 0
    }
  }
  return {
    note(group, lines, { address, isCommand }, about) {
      const known = groups.get(group) ?? { lines: 0, writtenAt: Number.NEGATIVE_INFINITY }
      const speaker = { address, isCommand }
      groups.set(group, { lines: known.lines + lines, writtenAt: known.writtenAt, speaker, about })
      flush()
    },
    flush,
  }
}
