/** Schedules of a farm that has none and can keep none. */
import { FarmError } from '../../handlers/farm-error.ts'
import type { Schedules } from '../../handlers/schedules.ts'

const refused = () => Promise.reject(new FarmError({ kind: 'unsupported', what: 'keep schedules' }))

export const noSchedules: Schedules = {
  schedules: async () => [],
  makeSchedule: refused,
  changeSchedule: async () => undefined,
  deleteSchedule: async () => false,
  runSchedule: async () => undefined,
}
