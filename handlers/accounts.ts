/** The sixth port: people who sign in with their own accounts, in `services/accounts/`. */
import type {
  AccountGroup,
  AccountList,
  InvitationRecord,
  InvitationRequest,
  NewInvitation,
  ShownInvitation,
  SignInProvider,
} from './account-record.ts'
import type { Deletion } from './deletion.ts'
import type { Account, KeyHolder, ProviderId, Scope } from './key-holder.ts'
import type { Redirect } from './redirect.ts'

/** What a provider adds to the address of the callback. */
export type SignInAnswer = Readonly<Partial<Record<'code' | 'state' | 'iss' | 'error', string>>>

export interface Accounts {
  /** None where sign-in is not set up. */
  readonly providers: readonly SignInProvider[]
  /**
   * @param next local path of the page to show after sign-in
   * @returns the provider's page, and the cookie of the attempt
   * @throws {FarmError} unsupported, invalid_argument, issuer_unavailable
   */
  beginSignIn(provider: ProviderId, next: string): Promise<Redirect>
  /**
   * @param attempt what the cookie of the attempt holds: a value for each sign-in that has begun in this browser
   * @returns where the page continues, and the new session; undefined when the answer is not accepted
   * @throws {FarmError} unsupported, issuer_unavailable
   */
  endSignIn(
    answer: SignInAnswer,
    attempt: string | undefined,
  ): Promise<{
    readonly redirect: Redirect
    readonly session?: { readonly id: string; readonly account: Account }
  }>
  /** @returns the secret of a new session, once; undefined for a code that is unknown, used or too old */
  takeSession(code: string): Promise<{ readonly secret: string } | undefined>
  /** Ends a session, or all of its account. @returns false when it has ended already */
  signOut(session: Pick<KeyHolder, 'id' | 'account'>, everywhere: boolean): Promise<Deletion>
  /** The most recent sign-in first. */
  accounts(): Promise<AccountList>
  /** @param scopes replace those of the account @returns false when there is no such account */
  changeAccount(id: string, scopes: readonly Scope[]): Promise<Deletion>
  /**
   * Removes what is stored of a person, and ends the sessions.
   * @param withKeys whether the keys that the person made are revoked too
   * @returns false when there is no such account
   */
  deleteAccount(id: string, withKeys: boolean): Promise<Deletion>
  setGroups(groups: readonly AccountGroup[]): Promise<Deletion>
  /** Those that can still be accepted, newest first. */
  invitations(): Promise<readonly InvitationRecord[]>
  /** @throws {FarmError} unsupported */
  makeInvitation(request: InvitationRequest): Promise<NewInvitation>
  /** @returns false when there is no such invitation */
  deleteInvitation(id: string): Promise<Deletion>
  /** @returns undefined when it was used up, has expired or was deleted */
  showInvitation(code: string): Promise<ShownInvitation | undefined>
  /**
   * Accepting again takes no further use, and gives nothing back that an admin has taken.
   * @returns the scopes of the account now; undefined as `showInvitation`, and for an account that used it before
   */
  acceptInvitation(code: string, account: string): Promise<readonly Scope[] | undefined>
}
