import type { DatabaseSync } from 'node:sqlite'
import * as v from 'valibot'
import { type AccountGroup, accountGroup } from '../../handlers/account-record.ts'
import { discordRole } from '../../handlers/discord-record.ts'
import { type ProviderId, providers, type Scope, scopes } from '../../handlers/key-holder.ts'
import { scope } from '../../handlers/key-record.ts'
import { hasEnded } from '../../lib/has-ended.ts'
import { stringifyJson } from '../../lib/json.ts'
import { dataTable } from './data-table.ts'
import type { StoredKey } from './keys-table.ts'
import { blob, readableData, readableRows, type Skipped } from './readable-rows.ts'
import { addWithinLimit } from './within-limit.ts'

/** A person at a provider. */
export interface Person {
  readonly provider: ProviderId
  /** The provider's id of the person. */
  readonly subject: string
  readonly name: string
  /** Discord roles, or groups of the OIDC issuer. */
  readonly groups: readonly string[]
}

/** Times are milliseconds since 1970. */
const storedAccount = v.object({
  id: v.string(),
  provider: v.picklist(providers),
  subject: v.string(),
  name: v.string(),
  scopes: v.array(scope),
  groups: v.array(v.string()),
  createdAt: v.number(),
  signedInAt: v.number(),
})
export type StoredAccount = Readonly<v.InferOutput<typeof storedAccount>>

const storedInvitation = v.object({
  id: v.string(),
  /** SHA-256 of the code, in hexadecimal digits. */
  digest: v.string(),
  scopes: v.array(scope),
  uses: v.number(),
  used: v.number(),
  createdAt: v.number(),
  expiresAt: v.number(),
  /** The accounts that have accepted it. */
  acceptedBy: v.optional(v.array(v.string()), []),
})
export type StoredInvitation = Readonly<v.InferOutput<typeof storedInvitation>>

/** The ids of a new session and of a new account, and the digest of what the cookie holds. */
export interface NewSession {
  readonly id: string
  readonly digest: Uint8Array
  readonly accountId: string
}

/** Milliseconds without use after which a session ends. */
const lasts = 30 * 86_400_000
/** Milliseconds from a sign-in in which the scopes of its roles and groups count: they may have been taken since. */
const groupsLast = 7 * 86_400_000
const maxSessions = { ofAccount: 10, ofAll: 400 } as const
const maxAccounts = 1000

const session = v.object({
  id: v.string(),
  digest: blob,
  createdAt: v.number(),
  lastUsedAt: v.exactOptional(v.number()),
  account: v.string(),
})
const storedGroups = v.array(accountGroup)
const storedRoles = v.array(discordRole)

export function accountsTable(db: DatabaseSync, skipped: Skipped) {
  const known = dataTable(db, 'accounts', storedAccount, skipped)
  const invitations = dataTable(db, 'invitations', storedInvitation, skipped)
  const sessions = db.prepare(
    `SELECT id, digest, createdAt, lastUsedAt, account FROM keys
      WHERE account IS NOT NULL AND revokedAt IS NULL AND max(createdAt, coalesce(lastUsedAt, 0)) > ?
      ORDER BY createdAt, id`,
  )
  const addSession = db.prepare(
    "INSERT INTO keys (id, name, scopes, digest, createdAt, account) VALUES (?, '', '[]', ?, ?, ?)",
  )
  const endSession = db.prepare('UPDATE keys SET revokedAt = ? WHERE id = ? AND revokedAt IS NULL')
  const endAll = db.prepare('UPDATE keys SET revokedAt = ? WHERE account = ? AND revokedAt IS NULL')
  const revokeMade = db.prepare(
    'UPDATE keys SET revokedAt = ? WHERE madeBy = ? AND account IS NULL AND revokedAt IS NULL',
  )
  const forget = db.prepare(
    'DELETE FROM keys WHERE account IS NOT NULL AND max(createdAt, coalesce(lastUsedAt, 0)) <= ?',
  )
  const groups = db.prepare('SELECT data FROM accountGroups')
  const putGroups = db.prepare('INSERT OR REPLACE INTO accountGroups (id, data) VALUES (1, ?)')
  const roles = db.prepare('SELECT roles AS data FROM discordServers WHERE unboundAt IS NULL')

  const find = (id: string) => known.all().find((one) => one.id === id)

  const accountGroups = (): readonly AccountGroup[] =>
    readableData('accountGroups', groups.all(), storedGroups, skipped).flat()

  /** The groups that give scopes, those of `/farm` in Discord among them. */
  const allGroups = (): readonly AccountGroup[] => [
    ...accountGroups(),
    ...readableData('discordServers', roles.all(), storedRoles, skipped)
      .flat()
      .map((role) => ({ provider: 'discord' as const, ...role })),
  ]

  const inOrder = (given: readonly Scope[]) => scopes.filter((one) => given.includes(one))

  /** What the roles and groups of an account give it at a time: the one place that says so. */
  const groupScopesOf = (account: StoredAccount, among: readonly AccountGroup[], at: number) =>
    hasEnded({ expiresAt: account.signedInAt + groupsLast }, at)
      ? []
      : inOrder(
          among
            .filter(({ provider, id }) => provider === account.provider && account.groups.includes(id))
            .flatMap((group) => group.scopes),
        )

  const storedAccounts = (at: number) => {
    const among = allGroups()
    return known
      .all()
      .map((account) => ({ ...account, groupScopes: groupScopesOf(account, among, at) }))
      .toSorted((one, other) => other.signedInAt - one.signedInAt)
  }

  const storedSessions = (at: number, accounts = storedAccounts(at)): readonly StoredKey[] => {
    const byId = new Map(accounts.map((account) => [account.id, account]))
    const read = ({ account: accountId, ...found }: v.InferOutput<typeof session>): StoredKey[] => {
      const account = byId.get(accountId)
      if (account === undefined) return []
      const { id, provider, name } = account
      const expiresAt = Math.max(found.createdAt, found.lastUsedAt ?? 0) + lasts
      const scopes = inOrder([...account.scopes, ...account.groupScopes])
      return [{ ...found, name, scopes, account: { id, provider, name }, expiresAt }]
    }
    return readableRows('keys', sessions.all(at - lasts), session, skipped).flatMap(read)
  }

  /** Ends sessions, so that there is room for one more: of the account, then of people without scopes, then any. */
  const makeRoom = (accountId: string, at: number, accounts: ReturnType<typeof storedAccounts>) => {
    const open = storedSessions(at, accounts).toSorted(
      (one, other) => (one.expiresAt ?? 0) - (other.expiresAt ?? 0),
    )
    const own = open.filter(({ account }) => account?.id === accountId)
    if (own.length >= maxSessions.ofAccount && own[0] !== undefined) endSession.run(at, own[0].id)
    else if (open.length >= maxSessions.ofAll) {
      const last = open.find((one) => one.scopes.length === 0) ?? open[0]
      if (last !== undefined) endSession.run(at, last.id)
    }
  }

  /** Forgets the person without scopes who signed in first, when there are too many. @returns whether there is room */
  const hasRoom = (at: number, accounts: ReturnType<typeof storedAccounts>): boolean => {
    if (accounts.length < maxAccounts) return true
    const last = accounts.findLast((account) => account.scopes.length + account.groupScopes.length === 0)
    if (last === undefined) return false
    endAll.run(at, last.id)
    return known.remove(last.id, at)
  }

  const openInvitations = (at: number): readonly StoredInvitation[] =>
    invitations
      .all()
      .filter((one) => one.used < one.uses && !hasEnded(one, at))
      .toSorted((one, other) => other.createdAt - one.createdAt)

  return {
    reads: {
      /** The most recent sign-in first, with what each has at a time. @param at milliseconds since 1970 */
      storedAccounts,
      /** @param at milliseconds since 1970 */
      storedSessions: (at: number) => storedSessions(at),
      accountGroups,
      /** Those that can still be accepted, newest first. */
      openInvitations,
    },
    writes: {
      /** Begins a session, of a new account where there is none. @returns its id; undefined when there is no room */
      signIn({ groups: held, ...person }: Person, { id, digest, accountId }: NewSession, at: number) {
        const accounts = storedAccounts(at)
        const before = accounts.find(
          ({ provider, subject }) => provider === person.provider && subject === person.subject,
        )
        if (before === undefined && !hasRoom(at, accounts)) return undefined
        const usual = { id: accountId, scopes: [], createdAt: at }
        const given = allGroups().filter(({ provider }) => provider === person.provider)
        // Only groups that give something are stored of a person.
        const kept = held.filter((group) => given.some((one) => one.id === group))
        const account = { ...usual, ...before, ...person, groups: kept, signedInAt: at }
        known.put(v.parse(storedAccount, account))
        const others = accounts.filter((one) => one !== before)
        makeRoom(account.id, at, [{ ...account, groupScopes: groupScopesOf(account, given, at) }, ...others])
        addSession.run(id, digest, at, account.id)
        return account.id
      },
      /** @returns false when there are too many that can still be accepted */
      addInvitation: (one: StoredInvitation, at: number): boolean =>
        addWithinLimit(
          'invitations',
          () => openInvitations(at).length,
          () => invitations.put(one),
        ),
      /** @returns the scopes of the account then; undefined for an invitation that is not open, or not for this account */
      acceptInvitation(digest: string, accountId: string, at: number): readonly Scope[] | undefined {
        const account = find(accountId)
        const invitation = openInvitations(at).find((one) => one.digest === digest)
        if (account === undefined || invitation === undefined) return undefined
        const after = inOrder([...account.scopes, ...invitation.scopes])
        const isNew = after.length > account.scopes.length
        // An account uses an invitation once: what an admin has taken does not come back by the same link.
        if (invitation.acceptedBy.includes(accountId)) {
          if (isNew) return undefined
        } else {
          known.put({ ...account, scopes: after })
          const used = invitation.used + (isNew ? 1 : 0)
          const acceptedBy = [...invitation.acceptedBy, accountId]
          invitations.put({ ...invitation, used, acceptedBy })
        }
        return inOrder([...after, ...groupScopesOf(account, allGroups(), at)])
      },
      /** @returns false when there is no such account */
      changeAccount(id: string, given: readonly Scope[]): boolean {
        const account = find(id)
        if (account !== undefined) known.put({ ...account, scopes: inOrder(given) })
        return account !== undefined
      },
      /** @param withKeys whether the keys that it made are revoked too @returns false when there is no such account */
      deleteAccount(id: string, at: number, withKeys = false): boolean {
        endAll.run(at, id)
        if (withKeys) revokeMade.run(at, id)
        return known.remove(id, at)
      },
      setAccountGroups(given: readonly AccountGroup[]): boolean {
        putGroups.run(stringifyJson(given))
        return true
      },
      deleteInvitation: invitations.remove,
      /** Ends all sessions of an account. @returns false when there is none */
      signOut: (accountId: string, at: number): boolean => endAll.run(at, accountId).changes > 0,
    },
    later: {
      /** Removes sessions a day after their end, and invitations that can no longer be accepted. */
      forgetEnded(at: number): void {
        forget.run(at - lasts - 86_400_000)
        const open = new Set(openInvitations(at).map(({ id }) => id))
        for (const { id } of invitations.all()) if (!open.has(id)) invitations.remove(id, at)
      },
    },
  }
}
