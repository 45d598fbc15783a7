/** People who have signed in, invitations, and groups of a provider, as the API shows them (docs/keys-and-records.md). */

import * as v from 'valibot'
import { whereStored } from './deletion.ts'
import { described } from './described.ts'
import { timestamp } from './game-records.ts'
import { type ProviderId, providers, scopes } from './key-holder.ts'
import { account, scope } from './key-record.ts'

export interface SignInProvider {
  readonly id: ProviderId
  /** For the button of the page. */
  readonly name: string
}

const someScopes = `Member 'scopes' must be a list of some of ${scopes.join(', ')}`
const requestedScopes = v.pipe(
  v.array(v.picklist(scopes, someScopes), someScopes),
  v.maxLength(scopes.length, someScopes),
)

export const accountGroup = described(
  'A Discord role, or a group of the OIDC issuer, that gives scopes.',
  v.object({ provider: v.picklist(providers), id: v.string(), scopes: v.array(scope) }),
)
export type AccountGroup = v.InferOutput<typeof accountGroup>

export const accountRecord = v.object({
  ...account.entries,
  scopes: described('Given by invitations and by an admin.', v.array(scope)),
  groupScopes: described(
    'Given by the groups that the person had at the last sign-in; none a week after it.',
    v.array(scope),
  ),
  createdAt: timestamp,
  signedInAt: timestamp,
})

export const accountList = v.object({ accounts: v.array(accountRecord), groups: v.array(accountGroup) })
export type AccountList = v.InferOutput<typeof accountList>

/** No scopes: the person can still sign in. */
export const accountRequest = v.strictObject({ scopes: requestedScopes })

const maxGroups = 100
const someGroups = `Member 'groups' must be a list of at most ${maxGroups} groups: {"provider":"discord" or "oidc","id":"<Discord role or group>","scopes":[some of ${scopes.join(', ')}]}`

/** They replace all groups. */
export const groupsRequest = v.strictObject({
  groups: v.pipe(
    v.array(
      v.strictObject(
        {
          provider: v.picklist(providers, someGroups),
          id: v.pipe(v.string(someGroups), v.regex(/^\S(.{0,126}\S)?$/, someGroups)),
          scopes: v.pipe(
            v.array(v.picklist(scopes, someGroups), someGroups),
            v.minLength(1, someGroups),
            v.maxLength(scopes.length, someGroups),
          ),
        },
        someGroups,
      ),
      someGroups,
    ),
    v.maxLength(maxGroups, someGroups),
  ),
})

export const invitationRecord = v.object({
  id: v.string(),
  scopes: v.array(scope),
  uses: described('How many people may accept it.', v.number()),
  used: v.number(),
  createdAt: timestamp,
  expiresAt: timestamp,
})
export type InvitationRecord = v.InferOutput<typeof invitationRecord>

/** The answer to the call that makes an invitation: the only one that shows its link. */
export const newInvitation = v.object({ ...invitationRecord.entries, url: v.string(), ...whereStored })
export type NewInvitation = v.InferOutput<typeof newInvitation>

const someDays = "Member 'expiresInDays' must be a whole number from 1 to 365"
const someUses = "Member 'uses' must be a whole number from 1 to 1000"

/** Without more: for one person, for a week. */
export const invitationRequest = v.strictObject({
  scopes: v.pipe(requestedScopes, v.minLength(1, someScopes)),
  expiresInDays: v.exactOptional(
    v.pipe(v.number(someDays), v.integer(someDays), v.minValue(1, someDays), v.maxValue(365, someDays)),
  ),
  uses: v.exactOptional(
    v.pipe(v.number(someUses), v.integer(someUses), v.minValue(1, someUses), v.maxValue(1000, someUses)),
  ),
})
export type InvitationRequest = v.InferOutput<typeof invitationRequest>

export const shownInvitation = v.object({ scopes: v.array(scope), expiresAt: timestamp })
export type ShownInvitation = v.InferOutput<typeof shownInvitation>

const aCode = "Member 'code' must be the code of an invitation"
export const codeRequest = v.strictObject({ code: v.pipe(v.string(aCode), v.maxLength(200, aCode)) })
