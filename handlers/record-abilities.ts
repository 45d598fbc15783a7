/**
 * Everything that can be asked of the records, one line for each call of the port (`records.ts`). The link encodes
 * calls by this table, as it does those of a game (`game-abilities.ts`).
 */
import * as v from 'valibot'
import type { AbilitiesOf } from './ability.ts'
import { auditPage, auditQuery, begunWrite, fleetChange, writeEnd } from './audit-entry.ts'
import { deletion } from './deletion.ts'
import {
  discordCall,
  discordCode,
  discordRolesWish,
  discordServer,
  heardDiscord,
  snowflake,
} from './discord-record.ts'
import {
  historyChat,
  historyDays,
  historyPlayers,
  historySamples,
  historySessions,
  pageQuery,
  samplesQuery,
  sessionsQuery,
} from './history-records.ts'
import { keyRecord, keyWish, newKey } from './key-record.ts'
import type { Records } from './records.ts'
import {
  deliveryPage,
  deliveryQuery,
  isReceiver,
  newWebhook,
  notReceiver,
  webhookId,
  webhookRecord,
  webhookWish,
} from './webhook-record.ts'

/** Members of the port that are answered without a call. */
type WithoutCall = 'state'
export type RecordAbilityName = Exclude<keyof Records, WithoutCall>

const id = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
const keyId = v.pipe(v.string(), v.maxLength(64))
const receivableWish = v.pipe(
  webhookWish,
  v.check(({ url }) => isReceiver(url), notReceiver),
)
const discordBinding = v.object({ code: v.pipe(v.string(), v.maxLength(100)), serverId: snowflake })
const none = v.tuple([])
const nothing = v.undefined()
const read = { effect: 'read', budget: 5_000 } as const
const write = { effect: 'write', budget: 5_000 } as const
/** An answer waits for these. */
const audited = { effect: 'write', budget: 2_000 } as const

export const recordAbilities: AbilitiesOf<Records, RecordAbilityName> = {
  keys: { ...read, args: none, result: v.array(keyRecord) },
  makeKey: { ...write, args: v.tuple([keyWish]), result: newKey },
  revokeKey: { ...write, args: v.tuple([keyId]), result: deletion },
  usedKey: { ...write, args: v.tuple([keyId]), result: nothing },
  beganWrite: { ...audited, args: v.tuple([begunWrite]), result: id },
  endedWrite: { ...audited, args: v.tuple([id, writeEnd]), result: nothing },
  fleetChanged: { ...write, args: v.tuple([fleetChange]), result: nothing },
  audit: { ...read, args: v.tuple([auditQuery]), result: auditPage },
  sessions: { ...read, args: v.tuple([sessionsQuery]), result: historySessions },
  playersSeen: { ...read, args: none, result: historyPlayers },
  samples: { ...read, args: v.tuple([samplesQuery]), result: historySamples },
  days: { ...read, args: v.tuple([pageQuery]), result: historyDays },
  chat: { ...read, args: v.tuple([pageQuery]), result: historyChat },
  webhooks: { ...read, args: none, result: v.array(webhookRecord) },
  makeWebhook: { ...write, args: v.tuple([receivableWish]), result: newWebhook },
  deleteWebhook: { ...write, args: v.tuple([webhookId]), result: deletion },
  testWebhook: { ...write, args: v.tuple([webhookId]), result: v.optional(v.string()) },
  webhookDeliveries: { ...read, args: v.tuple([deliveryQuery]), result: v.optional(deliveryPage) },
  replayDelivery: { ...write, args: v.tuple([webhookId]), result: v.boolean() },
  makeDiscordCode: { ...write, args: none, result: discordCode },
  bindDiscordServer: { ...write, args: v.tuple([discordBinding]), result: v.boolean() },
  discordServers: { ...read, args: none, result: v.array(discordServer) },
  setDiscordRoles: { ...write, args: v.tuple([discordRolesWish]), result: deletion },
  unbindDiscordServer: { ...write, args: v.tuple([snowflake]), result: deletion },
  heardDiscord: { ...read, args: v.tuple([discordCall]), result: heardDiscord },
}
