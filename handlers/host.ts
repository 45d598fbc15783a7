/**
 * The fourth port: the game's process, as farmgate starts, stops and watches it in `services/host/`. Every rejection
 * is a `FarmError`: `unsupported` without `GAME_HOST`.
 */
import type { LogEvent } from './game-event.ts'
import type { GameHostRecord } from './game-host-record.ts'
import type { HostAction, HostOperation, HostRequest, LogLine } from './host-record.ts'
import type { StartPlan } from './start-plan.ts'

/** Lines of the log that one call answers at most. */
export const maxLogLines = 2000

/** Lines of the log that are sent in one second; of the others only the number. */
export const maxLinesASecond = 200

/** Who asked for an operation: a key, or farmgate itself. */
export interface AskedBy {
  readonly id: string
  readonly name: string
  /** A schedule of theirs asks. */
  readonly isSchedule?: true
}

export interface Host {
  host(): Promise<GameHostRecord>
  /**
   * Begins an operation. @param plan of one that changes what the game loads @returns it as soon as it is on the disk
   * @throws {FarmError} already_running, not_running, operation_running, host_unavailable
   */
  beginOperation(
    action: HostAction,
    request: HostRequest,
    by: AskedBy,
    plan?: StartPlan,
  ): Promise<HostOperation>
  /** The last 50, newest first. */
  operations(): Promise<readonly HostOperation[]>
  /** @returns undefined when there is no such operation @throws {FarmError} too_late */
  cancelOperation(id: string): Promise<HostOperation | undefined>
  /** At most 2,000 lines and 256 KiB, oldest first, without control characters and secrets. */
  hostLog(lines: number): Promise<readonly LogLine[]>
  /**
   * Calls the listener with the game's log from now on, cleaned as `hostLog` is, at most `maxLinesASecond`.
   * @returns a function that ends it
   */
  hearLog(listener: (event: LogEvent) => void): () => void
  /** Types a line at the game's console. @returns what was printed in the next second */
  typeLine(line: string): Promise<readonly string[]>
}
