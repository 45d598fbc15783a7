import { deletionAnswer, deletionResult } from '../deletion.ts'
import { endpoint } from '../endpoint.ts'
import { scheduleId, scheduleNotFound } from './change-schedule.ts'

export const deleteSchedule = endpoint('DELETE /schedules', {
  at: 'farm',
  scope: 'admin',
  tag: 'Schedules',
  operationId: 'deleteSchedule',
  summary: 'Deletes a schedule',
  parameters: { id: scheduleId },
  result: deletionResult,
  example: { success: true, message: 'Schedule 6f1c2a9b03de is deleted' },
  problems: ['schedule_not_found'],
  async handle({ query: { id } }, { schedules }) {
    const stored = await schedules.deleteSchedule(id)
    if (stored === false) throw scheduleNotFound()
    return deletionAnswer(`Schedule ${id} is deleted`, stored)
  },
})
