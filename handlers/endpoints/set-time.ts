import * as v from 'valibot'
import { docs } from '../described.ts'
import { endpoint } from '../endpoint.ts'
import { timeOfDay } from '../game-arguments.ts'
import { numberParameter } from '../parameter.ts'

export const setTime = endpoint('POST /time', {
  at: 'farm',
  scope: 'control',
  tag: 'Time',
  operationId: 'setTime',
  summary: docs('Sets the in-game time of day'),
  parameters: {
    value: numberParameter(timeOfDay, {
      description: docs('Time of day as HHMM: 600 is 6 AM, 2600 is 2 AM of the next day and ends the day'),
      example: '1200',
    }),
  },
  result: v.object({ success: v.literal(true), timeOfDay: v.number(), message: v.string() }),
  example: docs({ success: true, timeOfDay: 1200, message: 'Time set to 1200' }),
  problems: ['server_not_ready', 'save_in_progress'],
  async handle({ query: { value } }, { game }) {
    await game.setTime(value)
    return { success: true as const, timeOfDay: value, message: `Time set to ${value}` }
  },
})
