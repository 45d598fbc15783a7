/** Schedules, as plain types. A test holds them equal to the server's schemas. */

/** The arguments are those of the action's own call. */
export type ScheduledAction = {
  action: 'restart' | 'start' | 'stop' | 'backup' | 'announce' | 'reload' | 'clock_speed' | 'rendering'
} & Record<string, unknown>

export interface ScheduleRun {
  /** When it began; of a missed one, when it was due. */
  at: string
  /** `skipped`: players were connected; `missed`: farmgate was down at its time and for 15 minutes after it. */
  outcome: 'succeeded' | 'failed' | 'skipped' | 'missed'
  detail?: string
}

export interface Schedule {
  id: string
  name: string
  /** Five fields. */
  cron: string
  /** Of the IANA list. */
  timeZone: string
  do: ScheduledAction
  onlyWhenEmpty: boolean
  warnMinutes: number[]
  enabled: boolean
  /** Why farmgate has disabled it. */
  disabledBecause?: string
  /** Null while it is disabled. */
  nextAt: string | null
  last?: ScheduleRun
}
