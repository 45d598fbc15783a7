/**
 * The cookies of people who sign in (docs/keys-and-records.md, "Accounts"), the secret that counts together with them, and
 * the page that may use them.
 */
import { cookieSeparator, cookieValue, type Redirect } from '../../handlers/redirect.ts'
import type { Caller } from './caller.ts'

/** The dashboard of this farm, as browsers reach it. */
export interface Page {
  /** Scheme, host and port. Undefined where people cannot sign in: cookies then count for nothing. */
  origin(caller: Pick<Caller, 'origin'>): string | undefined
  /** The name of the session's cookie without its prefix. Farms of one origin have different names. */
  readonly cookie: string
}

type CookieOf = NonNullable<Redirect['cookie']>['of']

/** Seconds. A session ends after 30 days without use, which only the farm knows: 400 days are the most that browsers keep. */
const lasts = { session: 400 * 86_400, attempt: 600 } as const

/**
 * Values of one cookie at most. Several farms of one host share the cookie, because browsers ignore the port, and so do
 * sign-ins in several tabs.
 */
const maxValues = 5

const isSecure = (origin: string) => origin.startsWith('https:')

/** `__Host-` cookies come from this host and over HTTPS only; browsers refuse them on plain HTTP. */
const nameOf = (of: CookieOf, origin: string, { cookie }: Page) =>
  `${isSecure(origin) ? '__Host-' : ''}${cookie}${of === 'attempt' ? '.sign-in' : ''}`

/**
 * The values of each cookie of the name. There are several cookies where another host has added one.
 * @returns the newest value of each cookie first
 */
export function cookiesOf(
  of: CookieOf,
  caller: Pick<Caller, 'header' | 'origin'>,
  page: Page,
): readonly (readonly string[])[] {
  const header = caller.header('cookie')
  const origin = header === undefined ? undefined : page.origin(caller)
  if (header === undefined || origin === undefined) return []
  const start = `${nameOf(of, origin, page)}=`
  return header
    .split(/;\s*/)
    .filter((pair) => pair.startsWith(start))
    .map((pair) => pair.slice(start.length).split(cookieSeparator, maxValues))
}

/** Of a request with a session: the secret that the page's origin keeps. Not `X-Farmgate-…`, which is internal at the edge. */
const secretHeader = 'farmgate-session'
/** A page cannot set headers of `/ws`: there the secret is a protocol, next to the one that the server chooses. */
const pageProtocol = 'farmgate'
const secretProtocol = 'session.'

const protocolsOf = (caller: Pick<Caller, 'header'>): readonly string[] =>
  caller.header('sec-websocket-protocol')?.split(/\s*,\s*/) ?? []

/** The secret of the page that sends a request. @returns undefined unless there is one of a possible form */
export function pageSecret(caller: Pick<Caller, 'header'>): string | undefined {
  const sent =
    caller.header(secretHeader) ??
    protocolsOf(caller)
      .find((one) => one.startsWith(secretProtocol))
      ?.slice(secretProtocol.length)
  return sent !== undefined && cookieValue.test(sent) ? sent : undefined
}

/** The protocol of an accepted `/ws`; undefined where the client does not offer it: browsers refuse any other. */
export const protocolFor = (caller: Pick<Caller, 'header'>): string | undefined =>
  protocolsOf(caller).find((one) => one === pageProtocol)

/**
 * Adds a value to the cookie, or removes one: those of other farms of this host, and of other tabs, stay.
 * @param value empty to add none
 * @param isRemoved whether a value that was sent is removed
 * @returns the header `Set-Cookie`; none where people cannot sign in
 */
export function setCookie(
  of: CookieOf,
  value: string,
  caller: Caller,
  page: Page,
  isRemoved: (value: string) => boolean = () => false,
): { 'Set-Cookie'?: string } {
  const origin = page.origin(caller)
  if (origin === undefined) return {}
  const sent = cookiesOf(of, caller, page)
  const kept = sent.length === 1 ? sent.flat().filter((one) => cookieValue.test(one) && !isRemoved(one)) : []
  const values = [...(value === '' ? [] : [value]), ...kept].slice(0, maxValues)
  const age = values.length === 0 ? 0 : lasts[of]
  const secure = isSecure(origin) ? '; Secure' : ''
  const pair = `${nameOf(of, origin, page)}=${values.join(cookieSeparator)}`
  return { 'Set-Cookie': `${pair}; Path=/; Max-Age=${age}; HttpOnly; SameSite=Lax${secure}` }
}

/** Whether the request comes from the page itself: only then does its cookie count for a change. */
export function isOfPage(caller: Caller, page: Page): boolean {
  const origin = page.origin(caller)
  return origin !== undefined && caller.header('origin') === origin
}
