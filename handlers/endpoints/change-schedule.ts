import { endpoint } from '../endpoint.ts'
import { jsonBody } from '../json-body.ts'
import { withoutKey } from '../key-holder.ts'
import { shortText } from '../parameter.ts'
import { Problem } from '../problem.ts'
import { keptSchedule, schedulePatch } from '../schedule-record.ts'
import { auditedSchedule, createSchedule } from './create-schedule.ts'
import { checkScheduled } from './scheduled-endpoints.ts'

export const scheduleId = shortText(64, {
  description: "The schedule's id, as GET /schedules returns it",
  example: '6f1c2a9b03de',
})

export const scheduleNotFound = () => new Problem('schedule_not_found', 'Schedule not found')

export const changeSchedule = endpoint('PATCH /schedules', {
  at: 'farm',
  scope: 'admin',
  tag: 'Schedules',
  operationId: 'changeSchedule',
  summary: 'Changes a schedule; missing members stay unchanged',
  parameters: { id: scheduleId },
  body: jsonBody(schedulePatch, { enabled: false }, auditedSchedule),
  needsOne: true,
  keeps: true,
  result: keptSchedule,
  example: { ...createSchedule.example, enabled: false, nextAt: null },
  problems: ['schedule_not_found'],
  async handle({ query: { id }, body: change, holder = withoutKey }, { schedules }) {
    if (change.do !== undefined) checkScheduled(change.do)
    const changed = await schedules.changeSchedule(id, change, holder)
    if (changed === undefined) throw scheduleNotFound()
    return changed
  },
})
