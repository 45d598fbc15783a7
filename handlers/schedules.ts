/**
 * The fifth port: actions at set times, in `services/schedules/`. Every rejection is a `FarmError`: `invalid_argument`
 * for an invalid cron expression, time zone or list of warnings.
 */
import type { Deletion } from './deletion.ts'
import type { KeyHolder } from './key-holder.ts'
import type { SchedulePatch, ScheduleRecord, ScheduleRequest, ScheduleRun } from './schedule-record.ts'

export interface Schedules {
  /** Oldest first. */
  schedules(): Promise<readonly ScheduleRecord[]>
  /** @param maker acts in its runs, with the scopes that it then has */
  makeSchedule(request: ScheduleRequest, maker: KeyHolder): Promise<ScheduleRecord>
  /**
   * @param caller becomes the maker when it enables a schedule that was disabled because its maker had lost its rights
   * @returns undefined when there is no such schedule
   */
  changeSchedule(id: string, change: SchedulePatch, caller: KeyHolder): Promise<ScheduleRecord | undefined>
  /** @returns false when there is no such schedule */
  deleteSchedule(id: string): Promise<Deletion>
  /** Runs it now, also while it is disabled; joins a current run. @returns undefined when there is no such schedule */
  runSchedule(id: string): Promise<ScheduleRun | undefined>
}
