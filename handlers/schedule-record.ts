/** Schedules, as `/schedules` shows them: an action of farmgate's own API at the times of a cron expression. */

import * as v from 'valibot'
import { whereStored } from './deletion.ts'
import { described } from './described.ts'
import { timestamp } from './game-records.ts'
import { hostRequest } from './host-record.ts'

const actions = [
  'restart',
  'start',
  'stop',
  'backup',
  'announce',
  'reload',
  'clock_speed',
  'rendering',
] as const

const must = (member: string, be: string) => `Member '${member}' must be ${be}`
const aName = must('name', 'a text of 1 to 64 characters without blanks at its ends')
const anAction = must('do', `an object whose action is one of ${actions.join(', ')}`)
const yesOrNo = (member: string) => v.boolean(must(member, 'true or false'))
export const aCron = must('cron', 'the five fields of a cron expression, such as 0 5 * * * for 5:00 each day')
export const aZone = must('timeZone', 'a time zone of the IANA list, such as Europe/Berlin')

/** The action, with the arguments of its endpoint. */
export const scheduledAction = described(
  "The arguments are those of the action's own call.",
  v.looseObject({ action: v.picklist(actions, anAction) }, anAction),
)
export type ScheduledAction = v.InferOutput<typeof scheduledAction>

/** The members that callers set. The messages are sentences for them. */
const settings = {
  name: v.pipe(v.string(aName), v.maxLength(64, aName), v.regex(/^\S(.*\S)?$/, aName)),
  cron: v.pipe(v.string(aCron), v.maxLength(100, aCron)),
  timeZone: v.pipe(v.string(aZone), v.maxLength(64, aZone)),
  do: scheduledAction,
  onlyWhenEmpty: described('The run is skipped while players are connected.', yesOrNo('onlyWhenEmpty')),
  warnMinutes: described(
    "Of `restart` and `stop`: minutes before the stop at which players are warned, after the schedule's time.",
    hostRequest.entries.warnMinutes.wrapped,
  ),
  enabled: yesOrNo('enabled'),
}

const outcome = described(
  '`skipped`: players were connected. `missed`: farmgate was down at its time and for 15 minutes after it.',
  v.picklist(['succeeded', 'failed', 'skipped', 'missed']),
)

/** The last run. */
export const scheduleRun = v.object({
  at: described('When it began; for a missed run, when it was due.', timestamp),
  outcome,
  detail: v.exactOptional(v.string()),
})
export type ScheduleRun = Readonly<v.InferOutput<typeof scheduleRun>>

export const scheduleRecord = v.object({
  id: v.string(),
  name: v.string(),
  cron: described('Five fields.', v.string()),
  timeZone: described('Of the IANA list.', v.string()),
  do: scheduledAction,
  onlyWhenEmpty: v.boolean(),
  warnMinutes: v.array(v.number()),
  enabled: v.boolean(),
  disabledBecause: v.exactOptional(described('Why farmgate has disabled it.', v.string())),
  nextAt: described('Null while it is disabled.', v.nullable(timestamp)),
  last: v.exactOptional(scheduleRun),
})
/** The answer to a change of one. */
export const keptSchedule = v.object({ ...scheduleRecord.entries, ...whereStored })
export type ScheduleRecord = Readonly<v.InferOutput<typeof scheduleRecord>>

/** A new schedule. Without `warnMinutes`, `restart` and `stop` have the warnings of their endpoint. */
export const scheduleRequest = v.strictObject({
  name: settings.name,
  cron: settings.cron,
  timeZone: v.optional(settings.timeZone, 'UTC'),
  do: settings.do,
  onlyWhenEmpty: v.optional(settings.onlyWhenEmpty, false),
  warnMinutes: v.exactOptional(settings.warnMinutes),
  enabled: v.optional(settings.enabled, true),
})
export type ScheduleRequest = Readonly<v.InferOutput<typeof scheduleRequest>>

/** Missing members stay unchanged. */
export const schedulePatch = v.strictObject({
  name: v.exactOptional(settings.name),
  cron: v.exactOptional(settings.cron),
  timeZone: v.exactOptional(settings.timeZone),
  do: v.exactOptional(settings.do),
  onlyWhenEmpty: v.exactOptional(settings.onlyWhenEmpty),
  warnMinutes: v.exactOptional(settings.warnMinutes),
  enabled: v.exactOptional(settings.enabled),
})
export type SchedulePatch = Readonly<v.InferOutput<typeof schedulePatch>>
