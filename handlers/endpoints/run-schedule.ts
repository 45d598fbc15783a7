import * as v from 'valibot'
import { backupBudgets } from '../backups.ts'
import { endpoint } from '../endpoint.ts'
import { abilities } from '../game-abilities.ts'
import { scheduleRun } from '../schedule-record.ts'
import { scheduleId, scheduleNotFound } from './change-schedule.ts'

export const runSchedule = endpoint('POST /schedules/run', {
  at: 'farm',
  scope: 'admin',
  tag: 'Schedules',
  operationId: 'runSchedule',
  summary: 'Runs a schedule now as it would run at its time; its outcome is in `last`',
  parameters: { id: scheduleId },
  budget: Math.max(backupBudgets.make, abilities.reload.budget) + abilities.players.budget,
  result: v.object({ last: scheduleRun }),
  example: { last: { at: '2026-11-21T12:00:00.000Z', outcome: 'succeeded' } },
  problems: ['schedule_not_found'],
  async handle({ query: { id } }, { schedules }) {
    const last = await schedules.runSchedule(id)
    if (last === undefined) throw scheduleNotFound()
    return { last }
  },
})
