/**
 * The farm's ports that the edge calls by name: every ability of its game, and what the edge itself must record or
 * check at the farm. All else that only the farm can answer is a forwarded call (`forwarded-call.ts`).
 */
import * as v from 'valibot'
import type { AbilitiesOf } from '../../handlers/ability.ts'
import { begunWrite, fleetChange, writeEnd } from '../../handlers/audit-entry.ts'
import { discordCall, heardDiscord, snowflake } from '../../handlers/discord-record.ts'
import { type AbilityName, abilities } from '../../handlers/game-abilities.ts'
import type { GameBridge } from '../../handlers/game-bridge.ts'
import { auditRowWithin, type Records } from '../../handlers/records.ts'

/** The records as the edge has them. */
export type LinkedRecords = Pick<Records, 'state' | RecordCallName>
export type RecordCallName =
  | 'usedKey'
  | 'beganWrite'
  | 'endedWrite'
  | 'fleetChanged'
  | 'bindDiscordServer'
  | 'heardDiscord'

const id = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
const nothing = v.undefined()
const write = { effect: 'write', budget: 5_000 } as const
/** An answer waits for these. */
const audited = { effect: 'write', budget: auditRowWithin } as const

export const recordCalls: AbilitiesOf<Records, RecordCallName> = {
  usedKey: { ...write, args: v.tuple([v.pipe(v.string(), v.maxLength(64))]), result: nothing },
  beganWrite: { ...audited, args: v.tuple([begunWrite]), result: id },
  endedWrite: { ...audited, args: v.tuple([id, writeEnd]), result: nothing },
  fleetChanged: { ...write, args: v.tuple([fleetChange]), result: nothing },
  bindDiscordServer: {
    ...write,
    args: v.tuple([v.object({ code: v.pipe(v.string(), v.maxLength(100)), serverId: snowflake })]),
    result: v.boolean(),
  },
  heardDiscord: { effect: 'read', budget: 5_000, args: v.tuple([discordCall]), result: heardDiscord },
}

export type LinkedPorts = Pick<GameBridge, AbilityName> & Pick<Records, RecordCallName>
export type CallName = keyof LinkedPorts

export const linkCalls: AbilitiesOf<LinkedPorts, CallName> = { ...abilities, ...recordCalls }

export const isCallName = (name: string): name is CallName => Object.hasOwn(linkCalls, name)
