import { type Farm, FarmgateError, type Health, type Season, type Status } from '../../client/index.ts'
import { shownMoment } from '../../handlers/game-moment.ts'

/**
 * The status, also while the game is offline: the refusal then has its last values.
 * @throws {FarmgateError} there is no answer, or one without a status
 */
export async function statusOf(
  farm: Farm,
  signal?: AbortSignal,
): Promise<{ readonly status: Status; readonly isOffline: boolean }> {
  try {
    return { status: await farm.status({}, { signal }), isOffline: false }
  } catch (error) {
    const body = error instanceof FarmgateError && error.code === 'game_unavailable' ? error.body : undefined
    if (isStatus(body)) return { status: body, isOffline: true }
    throw error
  }
}

const isStatus = (body: unknown): body is Status =>
  typeof body === 'object' && body !== null && 'farmName' in body && 'timeOfDay' in body

/** The state of the farm in the words of a player. */
export type Weather =
  | 'unknown'
  | 'lost'
  | 'away'
  | 'frozen'
  | 'trouble'
  | 'loading'
  | 'night'
  | 'festival'
  | 'paused'
  | 'empty'
  | 'ready'

/** What the page reaches: the game, farmgate without its game, or neither. */
export type Reach = 'here' | 'away' | 'lost'

export function weatherOf(status: Status | undefined, reach: Reach, health?: Health): Weather {
  if (reach !== 'here') return reach
  if (status === undefined) return 'unknown'
  const moment = shownMoment(status, health)
  if (moment === 'frozen' || moment === 'night') return moment
  if (moment === 'no_farm') return 'loading'
  if ((health ?? status).cause !== undefined) return 'trouble'
  if (!status.isReady) return 'festival'
  if (status.playerCount === 0) return 'empty'
  return status.isPaused ? 'paused' : 'ready'
}

/** The sky at a time of day; 600 is 6 AM, 2600 is 2 AM of the next day. */
export function skyOf(timeOfDay: number): 'dawn' | 'day' | 'dusk' | 'night' {
  if (timeOfDay < 800) return 'dawn'
  if (timeOfDay < 1700) return 'day'
  return timeOfDay < 2000 ? 'dusk' : 'night'
}

export const isSeason = (season: Season): season is Exclude<Season, ''> => season !== ''

/** Whether the farm is simulated. @param version of its game server, where it is known */
export const isDemo = (version: string | undefined): boolean => version?.startsWith('simulated-') === true
