/** A farm where no one can sign in. */
import type { Accounts } from '../../handlers/accounts.ts'
import { FarmError } from '../../handlers/farm-error.ts'

const refused = () => Promise.reject(new FarmError({ kind: 'unsupported', what: 'sign people in' }))

export const noAccounts: Accounts = {
  providers: [],
  beginSignIn: refused,
  endSignIn: refused,
  takeSession: async () => undefined,
  signOut: async () => false,
  accounts: async () => ({ accounts: [], groups: [] }),
  changeAccount: async () => false,
  deleteAccount: async () => false,
  setGroups: refused,
  invitations: async () => [],
  makeInvitation: refused,
  deleteInvitation: async () => false,
  showInvitation: async () => undefined,
  acceptInvitation: async () => undefined,
}
