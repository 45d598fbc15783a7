/** Named keys, as `/keys` shows them (docs/keys.md). */
import * as v from 'valibot'
import { timestamp } from './game-records.ts'
import { scopes } from './key-holder.ts'

export const scope = v.picklist(scopes)

export const keyRecord = v.object({
  /** Also a part of the key itself: `fg_<id>_<secret>`. */
  id: v.string(),
  name: v.string(),
  scopes: v.array(scope),
  createdAt: timestamp,
  expiresAt: v.optional(timestamp),
  lastUsedAt: v.optional(timestamp),
})
export type KeyRecord = v.InferOutput<typeof keyRecord>

/** The answer to the call that makes a key: the only one that ever shows it. */
export const newKey = v.object({ ...keyRecord.entries, key: v.string() })
export type NewKey = v.InferOutput<typeof newKey>

export const keyWish = v.strictObject({
  name: v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(64)),
  scopes: v.pipe(v.array(scope), v.minLength(1), v.maxLength(scopes.length)),
  expiresInDays: v.exactOptional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(3650))),
})
export type KeyWish = v.InferOutput<typeof keyWish>
