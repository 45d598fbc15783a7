import * as v from 'valibot'
import { endpoint } from '../endpoint.ts'
import { scheduleRecord } from '../schedule-record.ts'
import { createSchedule } from './create-schedule.ts'

export const schedules = endpoint({
  method: 'GET',
  path: '/schedules',
  at: 'farm',
  access: 'key',
  scope: 'read',
  tag: 'Schedules',
  operationId: 'getSchedules',
  summary: 'The schedules, with their next and last runs',
  parameters: {},
  result: v.object({ schedules: v.array(scheduleRecord) }),
  example: {
    schedules: [
      { ...createSchedule.example, last: { at: '2026-11-20T05:00:00.000Z', outcome: 'succeeded' } },
    ],
  },
  problems: [],
  handle: async (_request, { schedules: port }) => ({ schedules: [...(await port.schedules())] }),
})
