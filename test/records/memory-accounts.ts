/** Accounts whose records are in memory. */
import { randomBytes } from 'node:crypto'
import { openAccounts } from '../../services/accounts/open-accounts.ts'
import type { OwnRecords } from '../../services/records/own-records.ts'
import type { SignInUnderTest } from '../contract/server-under-test.ts'

/** @param given unless given, no one can sign in */
export const accountsOf = (records: OwnRecords, given?: SignInUnderTest) =>
  openedAccounts(records, given).port

/** With the tick that the runtime calls. */
export const openedAccounts = (records: OwnRecords, given?: Partial<SignInUnderTest>) =>
  openAccounts({
    records,
    providers: given?.providers?.(records) ?? [],
    publicUrl: given?.publicUrl,
    now: given?.now ?? Date.now,
    randomBytes,
  })
