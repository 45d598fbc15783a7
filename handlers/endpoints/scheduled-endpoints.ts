/** The endpoints that schedules and actions of a fleet call, by the names of their actions. */
import { stringifyJson } from '../../lib/json.ts'
import type { Endpoint } from '../endpoint.ts'
import { readBody } from '../json-body.ts'
import { readExactQuery } from '../parameter.ts'
import { Problem } from '../problem.ts'
import type { ScheduledAction } from '../schedule-record.ts'
import { announce } from './announce.ts'
import { restartGame, startGame, stopGame } from './host-actions.ts'
import { makeBackup } from './make-backup.ts'
import { reload } from './reload.ts'
import { setClockSpeed } from './set-clock-speed.ts'
import { setRendering } from './set-rendering.ts'

export const scheduledEndpoints: Readonly<Record<ScheduledAction['action'], Endpoint>> = {
  restart: restartGame,
  start: startGame,
  stop: stopGame,
  backup: makeBackup,
  announce,
  reload,
  clock_speed: setClockSpeed,
  rendering: setRendering,
}

/** Whether players can be warned of an action. */
export const isWarned = ({ action }: ScheduledAction): boolean => action === 'restart' || action === 'stop'

/**
 * The call of an action's endpoint: its arguments are members of the body, or parameters of the query.
 * @param warnMinutes where players are warned and the arguments have none; those of the endpoint unless given
 */
export function scheduledCall({ action, ...args }: ScheduledAction, warnMinutes?: readonly number[]) {
  const endpoint = scheduledEndpoints[action]
  const sent = { ...(isWarned({ action }) && { warnMinutes }), ...args }
  return endpoint.body === undefined
    ? { endpoint, search: new URLSearchParams(args as Record<string, string>).toString() }
    : { endpoint, search: '', body: stringifyJson(sent) }
}

/**
 * @param of the member that has the arguments
 * @throws {Problem} invalid_parameter where the endpoint would refuse the arguments, with the one at fault
 */
export function checkScheduled({ action, ...args }: ScheduledAction, of = 'do'): void {
  const { endpoint, search } = scheduledCall({ action, ...args })
  try {
    if (endpoint.body === undefined) readExactQuery(endpoint.parameters, search)
    else readBody(endpoint.body, args, false)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    throw new Problem(error.code, error.message, { parameter: `${of}.${error.details.parameter}` })
  }
}
