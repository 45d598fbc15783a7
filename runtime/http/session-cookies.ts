/** The cookies of people who sign in (docs/keys-and-records.md, "Accounts"), and the page that may use them. */
import type { Redirect } from '../../handlers/redirect.ts'
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

const isSecure = (origin: string) => origin.startsWith('https:')

/** `__Host-` cookies come from this host and over HTTPS only; browsers refuse them on plain HTTP. */
const nameOf = (of: CookieOf, origin: string, { cookie }: Page) =>
  `${isSecure(origin) ? '__Host-' : ''}${cookie}${of === 'attempt' ? '.sign-in' : ''}`

/** @returns undefined without the cookie, and with several of its name: another host may have added one */
export function cookieOf(
  of: CookieOf,
  caller: Pick<Caller, 'header' | 'origin'>,
  page: Page,
): string | undefined {
  const header = caller.header('cookie')
  const origin = header === undefined ? undefined : page.origin(caller)
  if (header === undefined || origin === undefined) return undefined
  const start = `${nameOf(of, origin, page)}=`
  const found = header.split(/;\s*/).filter((pair) => pair.startsWith(start))
  return found.length === 1 ? found[0]?.slice(start.length) : undefined
}

/** @param value empty to remove the cookie @returns the header `Set-Cookie`; none where people cannot sign in */
export function setCookie(
  of: CookieOf,
  value: string,
  caller: Caller,
  page: Page,
): { 'Set-Cookie'?: string } {
  const origin = page.origin(caller)
  if (origin === undefined) return {}
  const age = value === '' ? 0 : lasts[of]
  const secure = isSecure(origin) ? '; Secure' : ''
  const name = nameOf(of, origin, page)
  return { 'Set-Cookie': `${name}=${value}; Path=/; Max-Age=${age}; HttpOnly; SameSite=Lax${secure}` }
}

/** Whether the request comes from the page itself: only then does its cookie count for a change. */
export function isOfPage(caller: Caller, page: Page): boolean {
  const origin = page.origin(caller)
  return origin !== undefined && caller.header('origin') === origin
}
