/** People who sign in with their own accounts (docs/keys-and-records.md, "Accounts"). */
import type { Accounts } from '../../handlers/accounts.ts'
import { FarmError } from '../../handlers/farm-error.ts'
import { isoTime } from '../../handlers/iso-time.ts'
import type { ProviderId } from '../../handlers/key-holder.ts'
import { cookieSeparator } from '../../handlers/redirect.ts'
import type { Clock } from '../../lib/clock.ts'
import { handOver } from '../../lib/hand-over.ts'
import { digestOf, hexDigestOf, sessionPrefix, sessionProof } from '../../lib/keys.ts'
import type { StoredInvitation } from '../records/accounts-table.ts'
import type { OwnRecords } from '../records/own-records.ts'
import { requireAdded } from '../records/within-limit.ts'
import { attempts } from './attempt.ts'
import type { Provider } from './provider.ts'

interface AccountsParts extends Pick<Clock, 'now'> {
  readonly records: Pick<OwnRecords, 'calls' | 'later' | 'keysChanged'>
  readonly providers: readonly Provider[]
  /** The address of this farm's page, without a slash at its end; undefined where sign-in is not set up. */
  readonly publicUrl: string | undefined
  readonly randomBytes: (size: number) => Uint8Array
}

const day = 86_400_000
/** Milliseconds in which the page must exchange the code of a new session. */
const sessionCodeLasts = 2 * 60_000
const [usualDays, usualUses] = [7, 1]
const variables: Readonly<Record<ProviderId, string>> = {
  discord: 'SIGN_IN_DISCORD_CLIENT_ID',
  oidc: 'SIGN_IN_OIDC_ISSUER',
}

export function openAccounts({ records, providers, publicUrl, now, randomBytes }: AccountsParts) {
  const { calls, later, keysChanged } = records
  // Of this farm only: with one for all farms of an edge, a hostile farm could receive the codes of another one's people.
  const callback = `${publicUrl}/sign-in/callback`
  const signIns = attempts({ now, randomBytes })
  const hex = (size: number) => Buffer.from(randomBytes(size)).toString('hex')
  const secret = () => Buffer.from(randomBytes(32)).toString('base64url')
  // The callback's redirect has the code in the fragment of the page's address: no page of another origin reads that,
  // another port of the host included, and none can make the browser send it.
  const handOvers = handOver<string>({ now, lasts: sessionCodeLasts, randomBytes })

  const notSetUp = (variable: string) =>
    new FarmError({ kind: 'unsupported', by: 'farmgate', what: `sign people in: ${variable} is not set` })
  const providerOf = (wanted: ProviderId): Provider => {
    const found = providers.find(({ id }) => id === wanted)
    if (found === undefined) throw notSetUp(variables[wanted])
    return found
  }

  /** @throws {FarmError} invalid_argument for a path that leaves this farm's page */
  function pageAt(next: string): string {
    const page = `${publicUrl}/`
    const url = /^\/(?![/\\])[^\\\p{Cc}]*$/u.test(next) ? URL.parse(`${publicUrl}${next}`)?.href : undefined
    if (url?.startsWith(new URL(page).href)) return url
    const sentence = "Parameter 'next' must be a local path, such as /"
    throw new FarmError({ kind: 'invalid_argument', parameter: 'next', sentence })
  }

  const shown = ({ digest: _, acceptedBy: __, createdAt, expiresAt, ...rest }: StoredInvitation) => ({
    ...rest,
    createdAt: isoTime(createdAt),
    expiresAt: isoTime(expiresAt),
  })
  /** After a change of what sessions allow. */
  const changed = async <T>(made: T): Promise<T> => {
    if (made !== false && made !== undefined) await keysChanged()
    return made
  }

  const port: Accounts = {
    providers: providers.map(({ id, name }) => ({ id, name })),
    async beginSignIn(id, next) {
      const provider = providerOf(id)
      pageAt(next)
      const { secret: value, ...attempt } = signIns.begin(id, next)
      const { href } = await provider.pageOf(attempt, callback)
      return { location: href, cookie: { of: 'attempt', value } }
    },
    async endSignIn(answer, attempted) {
      if (publicUrl === undefined) throw notSetUp('PUBLIC_URL')
      const failed = (why: string) => ({ redirect: { location: `${publicUrl}/#sign-in=${why}` } })
      const attempt = signIns.end(answer.state, attempted?.split(cookieSeparator) ?? [])
      if (attempt === undefined) return failed('expired')
      const person = await providerOf(attempt.provider).personOf(answer, attempt, callback)
      if (typeof person === 'string') return failed(person)
      const id = hex(6)
      const value = `${sessionPrefix}${id}_${secret()}`
      const ofPage = secret()
      const { code } = handOvers.begin(ofPage)
      const session = { id, digest: digestOf(sessionProof(value, ofPage)), accountId: hex(6) }
      const accountId = await calls.signIn(person, session, now())
      if (accountId === undefined) return failed('full')
      await keysChanged()
      const { provider, name } = person
      return {
        redirect: { location: withCode(pageAt(attempt.next), code), cookie: { of: 'session', value } },
        session: { id, account: { id: accountId, provider, name } },
      }
    },
    async takeSession(code) {
      const taken = handOvers.end(code)
      return taken && { secret: taken.value }
    },
    signOut: async ({ id, account }, everywhere) =>
      changed(
        everywhere && account !== undefined
          ? await calls.signOut(account.id, now())
          : await calls.revokeKey(id, now()),
      ),
    async accounts() {
      const [accounts, groups] = await Promise.all([calls.storedAccounts(now()), calls.accountGroups()])
      return {
        accounts: accounts.map(({ id, provider, name, scopes, groupScopes, createdAt, signedInAt }) => ({
          id,
          provider,
          name,
          scopes,
          groupScopes,
          createdAt: isoTime(createdAt),
          signedInAt: isoTime(signedInAt),
        })),
        groups: [...groups],
      }
    },
    changeAccount: async (id, scopes) => changed(await calls.changeAccount(id, scopes)),
    deleteAccount: async (id, withKeys) => changed(await calls.deleteAccount(id, now(), withKeys)),
    setGroups: async (groups) => changed(await calls.setAccountGroups(groups)),
    invitations: async () => (await calls.openInvitations(now())).map(shown),
    async makeInvitation({ scopes, expiresInDays = usualDays, uses = usualUses }) {
      if (providers.length === 0) throw notSetUp(`${variables.discord} or ${variables.oidc}`)
      const code = secret()
      const [id, createdAt] = [hex(6), now()]
      const invitation = {
        id,
        digest: hexDigestOf(code),
        scopes: [...new Set(scopes)],
        uses,
        used: 0,
        acceptedBy: [],
        createdAt,
        expiresAt: createdAt + expiresInDays * day,
      }
      requireAdded('invitations', await calls.addInvitation(invitation, createdAt))
      return { ...shown(invitation), url: `${publicUrl}/#invitation=${code}` }
    },
    deleteInvitation: async (id) => calls.deleteInvitation(id, now()),
    async showInvitation(code) {
      const known = hexDigestOf(code)
      const found = (await calls.openInvitations(now())).find((one) => one.digest === known)
      return found && { scopes: found.scopes, expiresAt: isoTime(found.expiresAt) }
    },
    acceptInvitation: async (code, account) =>
      changed(await calls.acceptInvitation(hexDigestOf(code), account, now())),
  }
  /** What groups gave at the last tick, and how many ticks there were. */
  let [given, ticks] = ['', 0]
  return {
    port,
    /** Call this once a minute: what groups give ends with time, and sessions have it until they are read again. */
    async tick(): Promise<void> {
      ticks += 1
      try {
        const accounts = await calls.storedAccounts(now())
        const next = JSON.stringify(accounts.map(({ id, groupScopes }) => [id, groupScopes]))
        const isHour = ticks % 60 === 0
        if (isHour) later.forgetEnded(now())
        if (isHour || given !== next) await keysChanged()
        given = next
      } catch {
        // The records do not answer, which they log themselves.
      }
    },
  }
}

/** The address of the page with the code of a hand-over in the fragment, before the fragment that it has. */
function withCode(page: string, code: string): string {
  const [address = '', fragment] = page.split('#')
  return `${address}#session=${code}${fragment === undefined ? '' : `.${fragment}`}`
}
