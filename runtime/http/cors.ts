/** Which browser pages may use the API (docs/http-api.md, Browsers). */

export interface OriginRules {
  /** Listed in `ALLOWED_ORIGINS`. */
  isAllowed(origin: string): boolean
  /** Neither the API's own origin nor allowed. */
  isForeign(origin: string, host: string | undefined): boolean
}

/**
 * @param allowed origins as browsers send them: scheme, host and port, no path
 * @param keyRequired without a key a page that had its name rebound to this machine would be let in as our own,
 *   so that only names nobody can rebind count then: addresses, localhost, names without a dot
 */
export function originRules(allowed: readonly string[], keyRequired = true): OriginRules {
  const listed = new Set(allowed.map((origin) => origin.toLowerCase()))
  const isAllowed = (origin: string) => listed.has(origin.toLowerCase())
  return {
    isAllowed,
    // By host alone: an HTTPS proxy in front makes the scheme of the own origin another than ours.
    isForeign: (origin, host) =>
      !isAllowed(origin) &&
      (host === undefined ||
        hostOf(origin) !== hostOf(`http://${host}`) ||
        !(keyRequired || isUnbindable(host))),
  }
}

const longestNamed = 100

/** An origin as far as it may stand in a log or an answer: anybody can send any text as theirs. */
export const originInWords = (origin: string): string => {
  const visible = origin.replaceAll(/[^\x21-\x7e]/g, '?')
  return visible.length > longestNamed ? `${visible.slice(0, longestNamed)}…` : visible
}

const isUnbindable = (host: string): boolean => {
  const name = URL.parse(`http://${host}`)?.hostname ?? ''
  return /^(\[.*\]|[0-9.]+|[^.]+|.*\.localhost)$/.test(name)
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
  'Access-Control-Allow-Methods': 'GET, POST, DELETE',
  'Access-Control-Allow-Headers': 'Authorization, Content-Type, X-Request-Id',
  'Access-Control-Max-Age': '600',
})
