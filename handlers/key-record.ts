/** Named keys, as `/keys` shows them (docs/keys-and-records.md). */

import * as v from 'valibot'
import { whereStored } from './deletion.ts'
import { described, docs } from './described.ts'
import { timestamp } from './game-records.ts'
import { providers, scopes } from './key-holder.ts'

export const scope = described(
  docs('The scopes of a key; `admin` includes the three others.'),
  v.picklist(scopes),
)

export const account = described(
  docs('The person of a session.'),
  v.object({
    id: v.pipe(v.string(), v.maxLength(64)),
    provider: v.picklist(providers),
    name: v.pipe(v.string(), v.maxLength(64)),
  }),
)

export const keyRecord = described(
  docs('A named key without the key itself, or a session.'),
  v.object({
    id: described(docs('Also a part of the key itself: `fg_<id>_<secret>`.'), v.string()),
    name: v.string(),
    scopes: v.array(scope),
    createdAt: timestamp,
    expiresAt: v.optional(described(docs('Missing when it does not expire.'), timestamp)),
    lastUsedAt: v.optional(described(docs('To the minute; missing until it is used.'), timestamp)),
    account: v.exactOptional(account),
    madeBy: v.exactOptional(
      described(
        docs(
          'The person whose session made it, or made the key that did; missing once the account is deleted.',
        ),
        account,
      ),
    ),
  }),
)
export type KeyRecord = v.InferOutput<typeof keyRecord>

/** The answer to the call that makes a key: the only one that shows it. */
export const newKey = v.object({
  ...keyRecord.entries,
  key: described(docs('The key itself, shown only here.'), v.string()),
  ...whereStored,
})
export type NewKey = v.InferOutput<typeof newKey>

const aName = "Member 'name' must be a text of 1 to 64 characters without blanks at its ends"
const someScopes = `Member 'scopes' must be a list of some of ${scopes.join(', ')}`
const someMinutes = "Member 'expiresInMinutes' must be a whole number from 1 to 1440"
const someDays = "Member 'expiresInDays' must be a whole number from 1 to 3650"

/** The new key as requested. The messages are sentences for the caller. */
export const keyRequest = v.strictObject({
  name: v.pipe(v.string(aName), v.maxLength(64, aName), v.regex(/^\S(.*\S)?$/, aName)),
  scopes: v.pipe(
    v.array(v.picklist(scopes, someScopes), someScopes),
    v.minLength(1, someScopes),
    v.maxLength(scopes.length, someScopes),
  ),
  expiresInDays: v.exactOptional(
    v.pipe(v.number(someDays), v.integer(someDays), v.minValue(1, someDays), v.maxValue(3650, someDays)),
  ),
  /** In place of `expiresInDays`, which it overrides. */
  expiresInMinutes: v.exactOptional(
    v.pipe(
      v.number(someMinutes),
      v.integer(someMinutes),
      v.minValue(1, someMinutes),
      v.maxValue(1440, someMinutes),
    ),
  ),
})
export type KeyRequest = v.InferOutput<typeof keyRequest>
