/** Who may join by the operator's own list, as `/allowlist` shows it. */
import * as v from 'valibot'
import { described } from './described.ts'
import type { GameAccount } from './game-records.ts'
import { gameAccount } from './game-records.ts'

/** Maximum of accounts. A game takes 100 players. */
const most = 200

export const aList = `Member 'accounts' must be a list of at most ${most} accounts, each once: {"platform":"steam" or "galaxy","id":"digits","note"?:"up to 64 characters"}`

export const allowedAccount = v.strictObject(
  {
    platform: v.picklist(gameAccount.entries.platform.options, aList),
    id: v.pipe(v.string(aList), v.regex(/^[1-9][0-9]{0,19}$/, aList)),
    note: v.optional(v.pipe(v.string(aList), v.maxLength(64, aList))),
  },
  aList,
)
export type AllowedAccount = Readonly<v.InferOutput<typeof allowedAccount>>

export const allowlist = described(
  'An empty list allows everyone.',
  v.strictObject({
    accounts: v.pipe(v.array(allowedAccount, aList), v.maxLength(most, aList)),
  }),
)

/** One text for an account. */
export const accountKey = ({ platform, id }: GameAccount): string => `${platform} ${id}`
