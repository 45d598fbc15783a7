/**
 * The farm's ports that the edge calls by name: every read of its game, and what the edge itself must record or
 * check at the farm. All else is a forwarded call (`forwarded-call.ts`).
 */
import * as v from 'valibot'
import type { AbilitiesOf } from '../../handlers/ability.ts'
import { begunWrite, fleetChange, writeEnd } from '../../handlers/audit-entry.ts'
import { discordCall, heardDiscord, snowflake } from '../../handlers/discord-record.ts'
import { gameReads, type ReadName } from '../../handlers/game-abilities.ts'
import type { GameReads } from '../../handlers/game-bridge.ts'
import { auditRowWithin, type Records } from '../../handlers/records.ts'

/** The records as the edge has them. */
export type LinkedRecords = Pick<Records, 'state' | RecordCallName>
export type RecordCallName = 'usedKey' | 'recordWrite' | 'fleetChanged' | 'bindDiscordServer' | 'heardDiscord'

const nothing = v.undefined()
const write = { effect: 'write', budget: 5_000 } as const

export const recordCalls: AbilitiesOf<Records, RecordCallName> = {
  usedKey: { ...write, args: v.tuple([v.pipe(v.string(), v.maxLength(64))]), result: nothing },
  /** An answer waits for it. */
  recordWrite: { ...write, budget: auditRowWithin, args: v.tuple([begunWrite, writeEnd]), result: nothing },
  fleetChanged: { ...write, args: v.tuple([fleetChange]), result: nothing },
  bindDiscordServer: {
    ...write,
    args: v.tuple([v.object({ code: v.pipe(v.string(), v.maxLength(100)), serverId: snowflake })]),
    result: v.boolean(),
  },
  heardDiscord: { effect: 'read', budget: 5_000, args: v.tuple([discordCall]), result: heardDiscord },
}

export type LinkedPorts = Pick<GameReads, ReadName> & Pick<Records, RecordCallName>
export type CallName = keyof LinkedPorts

export const linkCalls: AbilitiesOf<LinkedPorts, CallName> = { ...gameReads, ...recordCalls }

export const isCallName = (name: string): name is CallName => Object.hasOwn(linkCalls, name)
