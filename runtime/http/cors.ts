/** Which browser pages may use the API (docs/api.md, Browsers). */
import { cannotBeRebound } from '../../lib/host-name.ts'

export type OriginRules = ReturnType<typeof originRules>

/**
 * @param allowed origins as browsers send them: scheme, host and port, no path
 * @param keyRequired whether a key is set. Without a key, DNS rebinding would let any page in: its host name changes
 * to this machine's address, and then equals the `Host` of the request. So only hosts that cannot be rebound count as
 * farmgate's own then: IP addresses, localhost and names without a dot
 */
export function originRules(allowed: readonly string[], keyRequired = true) {
  const listed = new Set(allowed.map((origin) => origin.toLowerCase()))
  const listedHosts = new Set([...listed].map((origin) => URL.parse(origin)?.host))
  const isAllowed = (origin: string) => listed.has(origin.toLowerCase())
  return {
    /** Whether the origin is listed in `ALLOWED_ORIGINS`. */
    isAllowed,
    /** Whether the origin is neither the API's own nor listed in `ALLOWED_ORIGINS`. @param host of the request */
    isForeign: (origin: string, host: string | undefined): boolean =>
      // Only hosts are compared: behind an HTTPS proxy the page's scheme is https and farmgate's is http.
      !isAllowed(origin) &&
      (host === undefined ||
        hostOf(origin) === undefined ||
        hostOf(origin) !== hostOf(`http://${host}`) ||
        !(keyRequired || cannotBeRebound(host))),
    /**
     * Whether a request that any page may have sent must be refused for its `Host`: no key is set, and DNS rebinding
     * could point the name at this machine. Browsers send no `Origin` with such a page's reads.
     */
    mayBeRebound: (host: string | undefined): boolean =>
      !keyRequired && host !== undefined && !cannotBeRebound(host) && !listedHosts.has(host.toLowerCase()),
  }
}

const maxShownLength = 100

/** An origin that is safe to show in a log or an answer: a client can send any text as its origin. */
export const shownOrigin = (origin: string): string => {
  const visible = origin.replaceAll(/[^\x21-\x7e]/g, '?')
  return visible.length > maxShownLength ? `${visible.slice(0, maxShownLength)}…` : visible
}

function hostOf(origin: string): string | undefined {
  const url = URL.parse(origin)
  return url === null ? undefined : `${url.hostname}:${url.port || '-'}`
}

const exposed = 'X-Request-Id, Retry-After, X-Snapshot-Age-Ms, X-Predicate-Changed-At-Ms-Ago'

/** Headers that let an allowed page read an answer. */
export const allowedHeaders = (origin: string) => ({
  'Access-Control-Allow-Origin': origin,
  'Access-Control-Expose-Headers': exposed,
})

/** The answer to an allowed page's preflight. */
export const preflightHeaders = (origin: string) => ({
  'Access-Control-Allow-Origin': origin,
  'Access-Control-Allow-Methods': 'GET, POST, PATCH, DELETE',
  'Access-Control-Allow-Headers': 'Authorization, Content-Type, X-Request-Id',
  'Access-Control-Max-Age': '600',
})
