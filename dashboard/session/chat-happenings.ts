/** Joins, leaves and days, which the chat shows between its lines. */
import { type ReadonlySignal, signal } from '@preact/signals'
import type { Farm, Live } from '../../client/index.ts'

/** `at`: milliseconds since 1970. */
export type Happening =
  | { readonly kind: 'joined' | 'left'; readonly at: number; readonly name: string }
  | {
      readonly kind: 'day'
      readonly at: number
      readonly day: number
      readonly season: string
      readonly year: number
    }

export interface ChatHappenings {
  /** Oldest first. */
  readonly all: ReadonlySignal<readonly Happening[]>
  /** Reads those from before the page was opened, once. @throws {FarmgateError} */
  read(): Promise<void>
}

/** Entries that are read of the history. */
const [sessionsRead, daysRead] = [100, 50]

export function chatHappenings(farm: Farm, live: Live): ChatHappenings {
  const all = signal<readonly Happening[]>([])
  let isRead = false
  const add = (more: readonly Happening[]) => {
    all.value = [...all.value, ...more].toSorted((one, other) => one.at - other.at)
  }
  live.on('event', (event) => {
    const at = Date.parse(event.timestamp)
    if (event.event === 'player_joined') add([{ kind: 'joined', at, name: event.player.name }])
    else if (event.event === 'player_left') add([{ kind: 'left', at, name: event.player.name }])
    else if (event.event === 'day_started') {
      const { day, season, year } = event
      add([{ kind: 'day', at, day, season, year }])
    }
  })
  return {
    all,
    async read() {
      if (isRead) return
      isRead = true
      // What happens from now on is heard, so the history is asked for what was before.
      const now = all.value[0]?.at ?? Number.POSITIVE_INFINITY
      const [{ sessions }, { days }] = await Promise.all([
        farm.historySessions({ limit: sessionsRead }),
        farm.historyDays({ limit: daysRead }),
      ])
      const before: Happening[] = [
        ...sessions.flatMap(({ name, joinedAt, leftAt }): Happening[] => [
          { kind: 'joined', at: Date.parse(joinedAt), name },
          ...(leftAt === undefined ? [] : [{ kind: 'left' as const, at: Date.parse(leftAt), name }]),
        ]),
        ...days.map(
          ({ beganAt, day, season, year }): Happening => ({
            kind: 'day',
            at: Date.parse(beganAt),
            day,
            season,
            year,
          }),
        ),
      ]
      add(before.filter(({ at }) => at < now))
    },
  }
}
