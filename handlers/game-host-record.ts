/** The game's process and its host, as only the farm itself answers them. */
import * as v from 'valibot'
import { described } from './described.ts'
import { timestamp } from './game-records.ts'
import { hostDriver, hostOperation } from './host-record.ts'
import { resources } from './resources.ts'

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))

export const gameHostRecord = v.object({
  driver: hostDriver,
  state: described(
    '`unknown`: the host of the game does not answer.',
    v.picklist(['running', 'starting', 'stopping', 'stopped', 'crashed', 'unknown']),
  ),
  since: v.exactOptional(described('When this state began.', timestamp)),
  exitCode: v.exactOptional(v.pipe(v.number(), v.safeInteger())),
  restartsToday: described('Restarts by farmgate since midnight UTC.', count),
  can: v.object({ console: v.boolean(), log: v.boolean() }),
  watchdog: v.object({
    mode: v.picklist(['off', 'notify', 'restart']),
    restartsThisHour: count,
    gaveUpAt: v.exactOptional(timestamp),
  }),
  resources,
  operation: described('The current operation.', v.nullable(hostOperation)),
})
export type GameHostRecord = Readonly<v.InferOutput<typeof gameHostRecord>>
