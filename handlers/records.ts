/**
 * The second port: farmgate's own records (docs/keys-and-records.md). The farm's own process keeps them, in
 * `services/records/`. Every rejection is a `FarmError`: `unavailable` where the records do not answer.
 */
import type { AllowedAccount } from './allowlist.ts'
import type { AuditPage, AuditQuery, BegunWrite, FleetChange, WriteEnd } from './audit-entry.ts'
import type { Deletion } from './deletion.ts'
import type {
  DiscordCall,
  DiscordCode,
  DiscordRolesRequest,
  DiscordServer,
  HeardDiscord,
} from './discord-record.ts'
import type {
  HistoryChat,
  HistoryDays,
  HistoryPlayers,
  HistorySamples,
  HistorySessions,
  SamplesQuery,
  SessionsQuery,
} from './history-records.ts'
import type { KeyHolder } from './key-holder.ts'
import type { KeyRecord, KeyRequest, NewKey } from './key-record.ts'
import type { Outage } from './outages.ts'
import type { PageQuery } from './parameter.ts'
import type {
  DeliveryPage,
  DeliveryQuery,
  NewWebhook,
  WebhookRecord,
  WebhookRequest,
} from './webhook-record.ts'

/** `failed`: records are in memory only, or nothing can be recorded. */
export type RecordsState = 'ok' | 'failed'

/** Milliseconds that the answer to a write waits for its row of the audit. */
export const auditRowWithin = 2_000

export interface Records {
  /** Synchronous; never reads the disk. */
  state(): RecordsState
  /** The named keys that are not revoked, oldest first. */
  keys(): Promise<readonly KeyRecord[]>
  /** @param maker whose session or key makes it */
  makeKey(request: KeyRequest, maker?: Pick<KeyHolder, 'id' | 'account'>): Promise<NewKey>
  /** @returns false when there is no such key */
  revokeKey(id: string): Promise<Deletion>
  /** A key was used now. Called at most once a minute and key by the farm's server and by the edge. */
  usedKey(id: string): Promise<void>
  /** Records a write that is about to begin, with the outcome `unknown`. @returns the id of its row, at once */
  beganWrite(write: BegunWrite): Promise<number>
  /** Records how a write ended, once. @returns when the row is on the disk */
  endedWrite(id: number, end: WriteEnd): Promise<void>
  /** Records a write that has ended, such as a refused one. @returns as `endedWrite` */
  recordWrite(write: BegunWrite, end: WriteEnd): Promise<void>
  /** Records a change that the edge has made. Idempotent. @returns when the row is on the disk */
  fleetChanged(change: FleetChange): Promise<void>
  audit(query: AuditQuery): Promise<AuditPage>
  /** Newest first; those that overlap `from` to `to`. */
  sessions(query: SessionsQuery): Promise<HistorySessions>
  /** At most 1,000, most recently seen first. */
  playersSeen(): Promise<HistoryPlayers>
  /** The steps that begin from `from` up to `to`; there are at most 1,000 of them. */
  samples(query: SamplesQuery): Promise<HistorySamples>
  /** Newest first; `before` is milliseconds since 1970. */
  days(query: PageQuery): Promise<HistoryDays>
  /**
   * The outages that had not ended before `from`, newest first, at most 1,000; `since`: when the first could have been
   * recorded, or the beginning of the oldest where there are more. Milliseconds since 1970.
   */
  outages(from: number): Promise<{ readonly outages: readonly Outage[]; readonly since: number | undefined }>
  /** Newest first; `before` is a `seq`. */
  chat(query: PageQuery): Promise<HistoryChat>
  /** The accounts whose joining is expected; empty for everyone's. */
  allowlist(): Promise<readonly AllowedAccount[]>
  setAllowlist(accounts: readonly AllowedAccount[]): Promise<Deletion>
  /** The webhooks that are not deleted, oldest first. */
  webhooks(): Promise<readonly WebhookRecord[]>
  makeWebhook(request: WebhookRequest): Promise<NewWebhook>
  /** @returns false when there is no such webhook */
  deleteWebhook(id: string): Promise<Deletion>
  /** Makes a delivery with a single, immediate attempt. @returns its id; undefined when there is no such webhook */
  testWebhook(id: string): Promise<string | undefined>
  /** @returns undefined when there is no such webhook */
  webhookDeliveries(query: DeliveryQuery): Promise<DeliveryPage | undefined>
  /** Tries a waiting one now, sends a finished one again. @returns false when there is no such delivery */
  replayDelivery(id: string): Promise<boolean>
  /** Makes a code that binds one Discord server to this farm. It works once, within a quarter of an hour. */
  makeDiscordCode(): Promise<DiscordCode>
  /** Binds a Discord server by a code. @returns false when the code is wrong, was used, or has expired */
  bindDiscordServer(binding: { readonly code: string; readonly serverId: string }): Promise<boolean>
  /** The Discord servers that are bound to this farm, oldest first. */
  discordServers(): Promise<readonly DiscordServer[]>
  /** Replaces the roles of a Discord server. @returns false when the server is not bound */
  setDiscordRoles(request: DiscordRolesRequest): Promise<Deletion>
  /** Ends the binding of a Discord server. @returns false when the server is not bound */
  unbindDiscordServer(id: string): Promise<Deletion>
  /**
   * Notes that a command was given in Discord, so that it runs once when Discord sends it twice. Its id is kept for a
   * quarter of an hour.
   * @returns whether its id was noted before, and the roles of its Discord server; undefined for an unbound server
   */
  heardDiscord(call: DiscordCall): Promise<HeardDiscord>
}
