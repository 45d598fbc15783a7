/** The sentences of an operation: for the players in the game, and for the person who reads why it failed. */
import { FarmError } from '../../handlers/farm-error.ts'
import type { HostOperation } from '../../handlers/host-record.ts'
import { problemOf } from '../../handlers/problem.ts'
import type { Effect } from './operation.ts'

/** Why an effect failed. */
export function sentenceOf(error: unknown, effect: Exclude<Effect['do'], 'warn' | 'call_off'>): string {
  const cause = error instanceof FarmError ? problemOf(error.failure).message : 'farmgate has logged why'
  return effect === 'backup' ? `No backup was made, so the game was not stopped: ${cause}` : cause
}

const verbs = {
  start: 'starts',
  stop: 'stops',
  restart: 'restarts',
  load_save: 'loads another save',
  new_farm: 'starts a new farm',
} as const

const calledOff = {
  start: 'start',
  stop: 'stop',
  restart: 'restart',
  load_save: 'restart',
  new_farm: 'restart',
} as const

/** What the server says to the players. */
export function announcementOf(
  { action, reason }: HostOperation,
  effect: Extract<Effect, { do: 'warn' | 'call_off' }>,
): string {
  if (effect.do === 'call_off') return `The server ${calledOff[action]} is cancelled`
  const minutes = `${effect.minutes} ${effect.minutes === 1 ? 'minute' : 'minutes'}`
  return `The server ${verbs[action]} in ${minutes}${reason === undefined ? '' : `: ${reason}`}`
}
