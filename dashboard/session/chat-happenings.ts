/** Joins, leaves and days, which the chat shows between its lines. */
import { signal } from '@preact/signals'
import type { Farm, Live } from '../../client/index.ts'

/** `at`: milliseconds since 1970. */
export type Happening =
  | { readonly kind: 'joined' | 'left' | 'unlisted'; readonly at: number; readonly name: string }
  | {
      readonly kind: 'day'
      readonly at: number
      readonly day: number
      readonly season: string
      readonly year: number
    }

/** Maximum of entries read of the history. */
const [sessionsRead, daysRead] = [100, 50]
/** Maximum of kept entries. */
const most = 1000
/** Maximum difference in milliseconds between the history and the event of the same thing. */
const tolerance = 10_000

const isSame = (one: Happening, other: Happening): boolean =>
  one.kind === other.kind &&
  Math.abs(one.at - other.at) < tolerance &&
  (one.kind === 'day' || other.kind === 'day' || one.name === other.name)

export function chatHappenings(farm: Farm, live: Live) {
  const all = signal<readonly Happening[]>([])
  let isRead = false
  const add = (more: readonly Happening[]) => {
    all.value = [...all.value, ...more].toSorted((one, other) => one.at - other.at).slice(-most)
  }
  live.on('event', (event) => {
    const at = Date.parse(event.timestamp)
    if (event.event === 'player_joined') add([{ kind: 'joined', at, name: event.player.name }])
    else if (event.event === 'player.unlisted') add([{ kind: 'unlisted', at, name: event.player.name }])
    else if (event.event === 'player_left') add([{ kind: 'left', at, name: event.player.name }])
    else if (event.event === 'day_started') {
      const { day, season, year } = event
      add([{ kind: 'day', at, day, season, year }])
    }
  })
  const addMissed = async () => {
    const [{ sessions }, { days }] = await Promise.all([
      farm.historySessions({ limit: sessionsRead }),
      farm.historyDays({ limit: daysRead }),
    ])
    const recorded = [
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
    add(recorded.filter((one) => !all.value.some((known) => isSame(known, one))))
  }
  let isCut = false
  live.on('state', (state) => {
    const isBack = isCut && (state === 'live' || state === 'away')
    isCut = state === 'connecting'
    // The chat is complete without them.
    if (isBack && isRead) void addMissed().catch(() => undefined)
  })
  return {
    /** Oldest first. */
    all,
    /**
     * Reads those from before the page was opened, once; those of a time without a connection are read when it is back.
     * @throws {FarmgateError}
     */
    async read(): Promise<void> {
      if (isRead) return
      isRead = true
      await addMissed()
    },
  }
}
