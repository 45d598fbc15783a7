/** Decides when the save is looked at: after each game day, and when farmgate or the game has started. */
import type { GameBridge } from '../../handlers/game-bridge.ts'
import type { Status } from '../../handlers/game-records.ts'
import type { After } from '../clock.ts'

/** `later`: the save is not whole yet. `failed`: it could not be read or kept. `settled`: nothing to do until the next day. */
export type Looked = 'later' | 'failed' | 'settled'

interface WatcherParts {
  readonly game: Pick<GameBridge, 'subscribe' | 'status'>
  /**
   * Looks at the save of a farm that runs, and backs it up when it is whole and new; never throws.
   * @param isPlayed whether somebody was connected since the last look that settled
   */
  look(farmName: string, isPlayed: boolean): Promise<Looked>
  /** Called when the save of a day that has begun is not whole after five minutes. */
  onNeverWhole(): void
  readonly after: After
}

/** Milliseconds before the next look. */
const pause = { later: 1000, failed: 60_000 } as const
/** Looks at a save that is not whole, before `onNeverWhole`. */
const patience = 300

/** @returns ends it: resolves when the look under way has ended */
export function watchSave({ game, look, onNeverWhole, after }: WatcherParts): () => Promise<void> {
  // Who played before this process started is not known.
  let isPlayed = true
  let isPresent = false
  let farmName = ''
  /** The day that runs; undefined while none does. */
  let today: string | undefined
  let begun = 0
  let isClosed = false
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
    const played = isPlayed
    isPlayed = isPresent
    const looked = await look(farmName, played)
    if (looked !== 'settled') isPlayed ||= played
    return looked
  }
  const lookUntilSettled = async () => {
    for (let seen = -1, looks = 0; !isClosed; ) {
      if (seen !== begun) looks = 0
      seen = begun
      const looked = await lookOnce()
      if (looked === 'settled') {
        if (seen === begun) return
        continue
      }
      looks += looked === 'later' ? 1 : 0
      if (looks === patience) {
        onNeverWhole()
        return
      }
      if (seen === begun && !isClosed) await rest(pause[looked])
    }
  }
  const heard = (status: Status) => {
    isPresent = status.playerCount > 0
    isPlayed ||= isPresent
    const isDay = status.isOnline && status.dayTransitionComplete && status.farmName !== ''
    const day = isDay ? [status.farmName, status.year, status.season, status.day].join('\n') : undefined
    const isNew = day !== undefined && day !== today
    today = day
    if (!isNew || isClosed) return
    farmName = status.farmName
    begun += 1
    wake()
    running ??= lookUntilSettled().finally(() => {
      running = undefined
    })
  }
  const unsubscribe = game.subscribe((event) => {
    if (event.type === 'player_joined') isPlayed = true
    if (event.type === 'status_changed') heard(event.status)
  })
  void game.status().then(heard)
  return async () => {
    isClosed = true
    unsubscribe()
    wake()
    await running
  }
}
