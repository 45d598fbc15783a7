/** The rows of the audit: one for each write, with who asked for it and how it ended (docs/keys-and-records.md). */
import * as v from 'valibot'
import { stringifyJson } from '../lib/json.ts'
import { described, docs } from './described.ts'
import { timestamp } from './game-records.ts'
import { account } from './key-record.ts'
import type { PageQuery } from './parameter.ts'

/** UTF-16 units of all parameters of a row as JSON. Those of a write over HTTP are always shorter. */
const maxParameters = 32_768
const shortText = v.pipe(v.string(), v.maxLength(256))

/** How a write ended; `unknown` until its end is known. */
const outcome = described(
  docs('`unknown`: the change may have been made.'),
  v.picklist(['done', 'refused', 'failed', 'unknown']),
)

const keyNamed = v.object({ id: shortText, name: shortText })

const sentParameters = v.record(shortText, v.unknown())

/** What is known of a write before it begins. */
export const begunWrite = v.object({
  requestId: shortText,
  /** The key that it was sent with; missing where none was needed. */
  key: v.exactOptional(keyNamed),
  account: v.exactOptional(account),
  address: described(docs("The caller's address, as the server knows it."), shortText),
  action: described(docs('The operation id of the endpoint, or `chat_send` or `wrongKey`.'), shortText),
  /** Query and body as they were sent, without secrets. */
  parameters: v.pipe(
    sentParameters,
    v.check((sent) => stringifyJson(sent).length <= maxParameters, 'parameters are too long'),
  ),
  /** Sent by farmgate's command line, as the request itself says. */
  isCommand: v.exactOptional(v.literal(true)),
})
export type BegunWrite = v.InferOutput<typeof begunWrite>

export const writeEnd = v.object({ outcome, status: v.pipe(v.number(), v.integer()) })
export type WriteEnd = v.InferOutput<typeof writeEnd>

/** One write, from its arrival to its answer. */
export interface AuditedWrite {
  /**
   * Call this before it is made. Those of people without scopes who have made sixty a minute together are recorded only
   * when they were not refused.
   * @param parameters as they were sent, without secrets
   */
  began(parameters: BegunWrite['parameters']): void
  /**
   * Call this before it is answered.
   * @param status of the answer
   * @param mayBeMade it failed with an unknown outcome; a write that never began was not made
   * @returns when the row is written, at most two seconds later
   */
  ended(status: number, mayBeMade: boolean): Promise<void>
}

const { requestId, address, parameters } = begunWrite.entries

/** A change of the farm's keys at the edge, by the operator of its fleet (docs/edge.md). */
export const fleetChange = v.object({
  requestId,
  address,
  parameters,
  action: v.picklist(['createFarm', 'replaceFarmKeys', 'deleteFarm']),
  /** By the edge's clock, milliseconds since 1970, at most the latest time of a `Date`. */
  at: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(8.64e15)),
  status: writeEnd.entries.status,
})
export type FleetChange = v.InferOutput<typeof fleetChange>

/** Who makes changes of the fleet. */
export const fleetKeyHolder = { id: 'fleet_key', name: 'FLEET_KEY' } as const

const { isCommand: _shownAsOrigin, ...shown } = begunWrite.entries

export const auditEntry = v.object({
  id: v.string(),
  at: timestamp,
  ...shown,
  key: v.optional(described(docs('The key that it was sent with.'), keyNamed)),
  // Without the bound on what is recorded, which OpenAPI cannot express.
  parameters: sentParameters,
  origin: described(
    docs(
      "Where the write came from: the farm's own port, the edge, farmgate's command line through either, or a part of farmgate itself.",
    ),
    v.picklist(['local', 'edge', 'cli', 'discord', 'schedule', 'watchdog']),
  ),
  outcome,
  status: v.optional(
    described(docs('The HTTP status of the answer; missing until there is one.'), v.number()),
  ),
})
export type AuditEntry = v.InferOutput<typeof auditEntry>

export interface AuditQuery extends PageQuery {
  readonly action?: string
  /** The id of a key. */
  readonly key?: string
}

/** Newest first. `next`: the `before` of the next page; missing on the last one. */
export const auditPage = v.object({ entries: v.array(auditEntry), next: v.optional(v.string()) })
export type AuditPage = v.InferOutput<typeof auditPage>
