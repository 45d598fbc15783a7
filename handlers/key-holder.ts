/** Who holds a key, and what the key allows (docs/keys-and-records.md). */

/** What a key can allow, in the order of the documents. */
export const scopes = ['read', 'chat', 'control', 'admin'] as const
export type Scope = (typeof scopes)[number]

/** What each allows, in the words of the docs, the page, the help and OpenAPI. */
export const scopeSentences: Readonly<Record<Scope, string>> = {
  read: 'See players, invite codes, chat, settings, history, backups, saves, mods, schedules and the state of the game.',
  chat: 'Read and write chat messages, and announce to all players.',
  control:
    'Start, stop and restart the game; change time, clock speed, rendering and the login timeout; make backups.',
  admin:
    'Everything else too: farmhands, settings, saves, restores, mods, schedules, keys, people, audit, webhooks and Discord.',
}

/** Whose accounts people sign in with. */
export const providers = ['discord', 'oidc'] as const
export type ProviderId = (typeof providers)[number]

/** A person who has signed in. */
export interface Account {
  /** farmgate's own id; the provider's is not shown. */
  readonly id: string
  readonly provider: ProviderId
  /** The name at the provider, at most 64 UTF-16 units. */
  readonly name: string
}

/** Plain JSON, so that a socket's attachment can store it. */
export interface KeyHolder {
  /** The id of a named key; `api_key` for API_KEY, `no_key` where no key is set. */
  readonly id: string
  /** The name that an operator gave the key. */
  readonly name: string
  readonly scopes: readonly Scope[]
  /** Distinguishes the keys of one holder: at the edge a replaced API_KEY can remain valid for a while. */
  readonly ref: string
  /** Set for the session of a person. */
  readonly account?: Account
}

/** The holder of API_KEY, which allows everything. @param ref see `KeyHolder`; needed only where it can be replaced */
export const apiKeyHolder = (ref = 'api_key'): KeyHolder => ({ id: 'api_key', name: 'API_KEY', scopes, ref })

/** What an answer needs that is not for the holder of the sent key, as long as it lasts. */
export interface Right {
  readonly holder: KeyHolder
  /** Undefined where any key may. */
  readonly scope?: Scope | undefined
}

/** Anyone, where no key is set. */
export const withoutKey: KeyHolder = { id: 'no_key', name: 'no key is set', scopes, ref: 'no_key' }

/** Whether it is a named key. API_KEY, and anyone where none is set, have no limits over all connections. */
export const isNamed = ({ id }: Pick<KeyHolder, 'id'>): boolean => id !== 'api_key' && id !== withoutKey.id

/** Whether it is a person whom no one has given a scope: anyone can sign in. */
export const isStranger = ({ account, scopes: held }: KeyHolder): boolean =>
  account !== undefined && held.length === 0

/** Whether a holder may do what needs this scope; `admin` includes the other three. */
export const allows = ({ scopes: held }: Pick<KeyHolder, 'scopes'>, needed: Scope): boolean =>
  held.includes(needed) || held.includes('admin')

/** @param current undefined when the key has ended */
export const stillAllows = (current: KeyHolder | undefined, needed: Scope): boolean =>
  current !== undefined && allows(current, needed)

/** Whether a holder gets the game's chat on `/ws`, which needs `read` or `chat`. */
export const mayHear = (holder: KeyHolder): boolean => allows(holder, 'read') || allows(holder, 'chat')

/** The sentence of an error `insufficient_scope`. */
export const lacks = (scope: Scope): string => `This key lacks the scope ${scope}`
