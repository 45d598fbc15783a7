import { endpoint } from '../endpoint.ts'
import { jsonBody } from '../json-body.ts'
import { withoutKey } from '../key-holder.ts'
import { keptSchedule, scheduleRequest } from '../schedule-record.ts'
import { checkScheduled } from './scheduled-endpoints.ts'

const example = {
  name: 'Backup every six hours',
  cron: '0 */6 * * *',
  timeZone: 'Europe/Berlin',
  do: { action: 'backup' as const },
  onlyWhenEmpty: false,
  warnMinutes: [],
  enabled: true,
}

/** The audit shows the action without its arguments: an announcement has the text of a chat line. */
export const auditedSchedule = (members: Readonly<Record<string, unknown>>) => {
  const { name, cron, timeZone, do: scheduled, onlyWhenEmpty, warnMinutes, enabled } = members
  const { action } = Object(scheduled)
  return { name, cron, timeZone, action, onlyWhenEmpty, warnMinutes, enabled }
}

export const createSchedule = endpoint('POST /schedules', {
  at: 'farm',
  scope: 'admin',
  tag: 'Schedules',
  operationId: 'createSchedule',
  summary: 'Makes a schedule, which acts with the scopes that this key has at the time of each run',
  body: jsonBody(scheduleRequest, example, auditedSchedule),
  status: 201,
  keeps: true,
  result: keptSchedule,
  example: { id: '6f1c2a9b03de', ...example, nextAt: '2026-11-21T17:00:00.000Z' },
  problems: ['too_many_schedules'],
  async handle({ body: request, holder = withoutKey }, { schedules }) {
    checkScheduled(request.do)
    return schedules.makeSchedule(request, holder)
  },
})
