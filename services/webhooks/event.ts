/** The events of webhooks: their members, and their text. */

import * as v from 'valibot'
import { cleaned } from '../../handlers/chat-line.ts'
import { type FarmMark, wrongFarm } from '../../handlers/expected-farm.ts'
import { connection, timestamp } from '../../handlers/game-records.ts'
import { int64 } from '../../handlers/int64.ts'
import type { Delivery } from '../../handlers/webhook-record.ts'
import { foreignValue } from '../../lib/foreign/read.ts'

const farm = { farmName: v.string() }
const player = v.object({
  ...farm,
  playerId: int64,
  name: v.string(),
  joinPath: v.exactOptional(connection.entries.joinPath),
})

/**
 * The members of each event, as they are stored and sent. Each has `farmName`, empty until the game has reported it.
 */
const eventData = {
  'player.joined': player,
  'player.left': player,
  'player.unlisted': player,
  'chat.message': v.object({ ...farm, playerName: v.string(), message: v.string(), timestamp }),
  'day.started': v.object({ ...farm, day: v.number(), season: v.string(), year: v.number() }),
  'farm.online': v.object(farm),
  'farm.away': v.object({ ...farm, since: timestamp }),
  'farm.stuck': v.object({ ...farm, state: v.picklist(['stuck', 'recovered']), since: timestamp }),
  'game.crashed': v.object({ ...farm, exitCode: v.exactOptional(v.number()) }),
  'game.hung': v.object({ ...farm, cause: v.picklist(['no_answer', 'night']) }),
  'game.restarted': v.object({ ...farm, by: v.string(), reason: v.exactOptional(v.string()) }),
  'game.wrong_farm': v.object({ ...farm, ...wrongFarm }),
  'watchdog.gave_up': v.object({ ...farm, restarts: v.number() }),
  'backup.failed': v.object({ ...farm, reason: v.string() }),
  'token.expiring': v.object({ ...farm, daysRemaining: v.number() }),
  'key.throttled': v.object({ ...farm, address: v.string() }),
  test: v.object(farm),
} satisfies Record<Delivery['event'], v.GenericSchema>

export type EventData = { readonly [Name in Delivery['event']]: v.InferOutput<(typeof eventData)[Name]> }

/** @param data as it was stored */
export const readEvent = <Name extends Delivery['event']>(name: Name, data: string): EventData[Name] =>
  v.parse<v.GenericSchema<unknown, EventData[Name]>>(eventData[name] as never, foreignValue(data))

const markWords = ({ name, season, day, year }: FarmMark): string =>
  season === undefined ? name : `${name}, ${season} ${day}, year ${year}`

const words: { readonly [Name in Delivery['event']]: (data: EventData[Name]) => string } = {
  'player.joined': ({ name }) => `${name} joined`,
  'player.left': ({ name }) => `${name} left`,
  'player.unlisted': ({ name }) => `${name} joined and is not on the allowlist`,
  'chat.message': ({ playerName, message }) => `${playerName}: ${message}`,
  'day.started': ({ day, season, year }) => `A new day: ${season} ${day}, year ${year}`,
  'farm.online': () => 'The game server is back',
  'farm.away': () => 'The game server does not answer',
  'farm.stuck': ({ state }) =>
    state === 'stuck'
      ? 'The night has not ended for five minutes'
      : 'The night has ended: the game continues',
  'game.crashed': ({ exitCode }) =>
    `The game has crashed${exitCode === undefined ? '' : ` with exit code ${exitCode}`}`,
  'game.hung': ({ cause }) =>
    cause === 'night' ? 'The night has lasted for 15 minutes' : 'The game runs and does not answer',
  'game.restarted': ({ by, reason }) =>
    `The game was restarted by ${by}${reason === undefined ? '' : `: ${reason}`}`,
  'game.wrong_farm': ({ kind, expected, found }) =>
    kind === 'pointer'
      ? `The next start of the game would create a new farm instead of ${markWords(expected)}`
      : `The game plays ${markWords(found)}, and not ${markWords(expected)}`,
  'watchdog.gave_up': ({ restarts }) => `The watchdog has given up after ${restarts} restarts within an hour`,
  'backup.failed': ({ reason }) => `A backup failed: ${reason}`,
  'token.expiring': ({ daysRemaining }) =>
    `The Steam sign-in ends in ${daysRemaining} ${daysRemaining === 1 ? 'day' : 'days'}`,
  'key.throttled': ({ address }) => `Too many wrong keys from ${address}`,
  test: () => 'This is a test of farmgate',
}

/** One line. */
export const wordsOf = <Name extends Delivery['event']>(name: Name, data: string): string =>
  cleaned(words[name](readEvent(name, data)))

/** The farm of a delivery, or `farmgate` where its name is unknown. */
export function farmOf(name: Delivery['event'], data: string): string {
  const { farmName } = readEvent(name, data)
  return cleaned(farmName) || 'farmgate'
}
