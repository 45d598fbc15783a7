import { systemClock as clockOnTheWall, type Clock as WallClock } from '../simulated/clock.ts'

/** Time as a parameter: the wall's, which may jump, and one for measuring. */
export interface Clock extends WallClock {
  /** Milliseconds that only ever grow, from any start. */
  elapsed(): number
}

export const systemClock: Clock = { ...clockOnTheWall, elapsed: () => performance.now() }
