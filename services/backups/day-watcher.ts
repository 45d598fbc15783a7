/** Decides when to look at the save: after each game day, and when farmgate or the game has started. */
import * as v from 'valibot'
import { type GameDay, gameDay } from '../../handlers/backup-record.ts'
import type { GameBridge } from '../../handlers/game-bridge.ts'
import { shownMoment } from '../../handlers/game-moment.ts'
import type { Status } from '../../handlers/game-records.ts'
import type { After } from '../../lib/clock.ts'

/**
 * `later`: the save is not whole yet. `failed`: it could not be read or stored. `settled`: nothing to do until the
 * next day.
 */
export type Looked = 'later' | 'failed' | 'settled'

/** The current farm. */
export interface PlayedFarm {
  readonly farmName: string
  /** Undefined where the game does not report it. */
  readonly day: GameDay | undefined
}

interface WatcherParts {
  readonly game: Pick<GameBridge, 'subscribe' | 'status'>
  /**
   * Looks at the save of the current farm, and backs it up when it is whole and new; never throws.
   * @param hadPlayers whether a player was connected since the last look that settled
   */
  look(farm: PlayedFarm, hadPlayers: boolean): Promise<Looked>
  /** Called when the save of a day that has begun is not whole after five minutes. */
  onNeverWhole(): void
  /** Called when the game runs a farm and reports for a quarter of an hour that no day has begun. */
  onNoDay(): void
  readonly after: After
}

/** Milliseconds before the next look. */
const pause = { later: 1000, failed: 60_000 } as const
/** Looks at a save that is not whole, before `onNeverWhole`. */
const maxLooks = 300
/** Milliseconds without a day, before `onNoDay`: a night takes a minute, and five on a slow machine. */
const longestNight = 15 * 60_000

/** @returns ends it: resolves when the current look has ended */
export function watchDays({ game, look, onNeverWhole, onNoDay, after }: WatcherParts): () => Promise<void> {
  // Players from before the start of this process are unknown.
  let hadPlayers = true
  let isPresent = false
  let farm: PlayedFarm = { farmName: '', day: undefined }
  /** Ends the wait for a day; undefined during a day, or without a farm. */
  let endNight: (() => void) | undefined
  /** The current day; undefined between two days. */
  let today: string | undefined
  let begun = 0
  let isClosed = false
  let isLooking = false
  let hasEvent = false
  let running: Promise<void> | undefined
  let wake = () => {}

  const rest = (milliseconds: number) =>
    new Promise<void>((resolve) => {
      const cancel = after(milliseconds, resolve)
      wake = () => {
        cancel()
        resolve()
      }
    })
  const lookOnce = async (): Promise<Looked> => {
    const had = hadPlayers
    hadPlayers = isPresent
    const looked = await look(farm, had)
    if (looked !== 'settled') hadPlayers ||= had
    return looked
  }
  /**
   * Runs until the day is backed up or ends. What the game writes in the night is examined when the next day has
   * begun.
   */
  const lookUntilSettled = async () => {
    isLooking = true
    let looks = 0
    for (let seen = -1; today !== undefined && !isClosed; ) {
      if (seen !== begun) looks = 0
      seen = begun
      const looked = await lookOnce()
      if (seen !== begun) continue
      if (looked === 'later') looks += 1
      if (looks === maxLooks) onNeverWhole()
      if (looked === 'settled' || looks === maxLooks) break
      if (!isClosed) await rest(pause[looked])
    }
    isLooking = false
  }
  const onStatus = (status: Status) => {
    isPresent = status.playerCount > 0
    hadPlayers ||= isPresent
    // Without staleness: its end makes no event.
    const moment = shownMoment(status)
    if (moment !== 'night') {
      endNight?.()
      endNight = undefined
    } else endNight ??= after(longestNight, onNoDay)
    const isDay = moment === 'day' && status.farmName !== ''
    const day = isDay ? [status.farmName, status.year, status.season, status.day].join('\n') : undefined
    if (day === today) return
    today = day
    begun += 1
    if (day !== undefined) farm = { farmName: status.farmName, day: dayOf(status) }
    wake()
    if (day !== undefined && !isLooking) running = lookUntilSettled()
  }
  const unsubscribe = game.subscribe((event) => {
    if (event.type === 'player_joined') hadPlayers = true
    if (event.type === 'status_changed') {
      hasEvent = true
      onStatus(event.status)
    }
  })
  // A status that arrives after an event is older than the event.
  void game.status().then((status) => {
    if (!hasEvent) onStatus(status)
  })
  return async () => {
    isClosed = true
    unsubscribe()
    endNight?.()
    wake()
    await running
  }
}

/** @returns undefined for a game that reports none */
function dayOf({ season, day, year }: Status): GameDay | undefined {
  const read = v.safeParse(gameDay, { season, day, year })
  return read.success ? read.output : undefined
}
