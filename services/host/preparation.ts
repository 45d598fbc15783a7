import type { BeforeStart } from './operation.ts'

/** What the game loads when an operation starts it. Each change can be made again after farmgate was killed during it. */
export interface Preparation {
  /** Never rejects. */
  beforeStart(): Promise<BeforeStart>
  /** While the process does not run. @throws the farm from before is started again */
  prepare(): Promise<void>
  /**
   * As `prepare`, for the farm from before.
   * @returns a sentence about what could not be put back, and does not keep the farm from being played
   * @throws the game is not started
   */
  undo(): Promise<string | undefined>
  /** Whether the game plays the farm, or with `isUndone` the one from before; undefined while that is not known. */
  isRightFarm(isUndone: boolean): Promise<boolean | undefined>
  /** The operation has succeeded. Never rejects. */
  succeeded(): Promise<void>
}
