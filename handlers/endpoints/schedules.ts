import * as v from 'valibot'
import { endpoint } from '../endpoint.ts'
import { scheduleRecord } from '../schedule-record.ts'
import { createSchedule } from './create-schedule.ts'

export const schedules = endpoint('GET /schedules', {
  at: 'farm',
  scope: 'read',
  tag: 'Schedules',
  operationId: 'getSchedules',
  summary: 'The schedules, with their next and last runs',
  result: v.object({ schedules: v.array(scheduleRecord) }),
  example: {
    schedules: [
      { ...createSchedule.example, last: { at: '2026-11-20T05:00:00.000Z', outcome: 'succeeded' } },
    ],
  },
  handle: async (_request, { schedules: port }) => ({ schedules: [...(await port.schedules())] }),
})
