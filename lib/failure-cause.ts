/** Why a connection to another server failed, in words that an operator would search for. */
import { errorCode } from './error-code.ts'

/** The closed set of causes; `words` complete "… is unreachable: ". */
export interface FailureCause {
  readonly code:
    | 'connection_refused'
    | 'no_such_host'
    | 'name_lookup_failed'
    | 'no_route'
    | 'no_answer'
    | 'connection_lost'
    | 'connection_failed'
    | 'certificate'
    | 'no_tls'
    | 'not_http'
    | 'not_its_api'
    | 'key_refused'
    | 'rate_limited'
    | 'starting'
    | 'proxy'
    | 'closed'
    | 'replaced'
    | 'protocol_broken'
  readonly words: string
}

/** Causes that mean that the server has no connection any more; with all others it may only be slow or busy. */
const withoutConnection: ReadonlySet<FailureCause['code']> = new Set([
  'connection_refused',
  'connection_lost',
  'connection_failed',
  'no_route',
  // A stopped container: its name no longer resolves.
  'no_such_host',
  'name_lookup_failed',
])

/** Whether the connection was refused, reset or impossible, in contrast to a missing answer. */
export const isBroken = ({ code }: FailureCause): boolean => withoutConnection.has(code)

export const connectionLost = {
  code: 'connection_lost',
  words: 'the connection was reset',
} as const satisfies FailureCause
const noRoute = { code: 'no_route', words: 'no route to the host' } as const
const untrusted = {
  code: 'certificate',
  words: 'its TLS certificate is not trusted (self-signed, or of an unknown authority)',
} as const
const noTls = { code: 'no_tls', words: 'no TLS is spoken there; the address may need http://' } as const

/** By the error codes of Node and OpenSSL. */
const causes: Readonly<Record<string, FailureCause>> = {
  ECONNREFUSED: { code: 'connection_refused', words: 'connection refused' },
  ENOENT: { code: 'connection_refused', words: 'there is no such socket' },
  EACCES: { code: 'connection_refused', words: 'this user may not use the socket' },
  ENOTFOUND: { code: 'no_such_host', words: 'no such host name' },
  EAI_AGAIN: { code: 'name_lookup_failed', words: 'the host name cannot be looked up: DNS does not answer' },
  ETIMEDOUT: { code: 'no_answer', words: 'no answer to the attempt to connect' },
  EHOSTUNREACH: noRoute,
  ENETUNREACH: noRoute,
  ECONNRESET: connectionLost,
  EPIPE: connectionLost,
  CERT_HAS_EXPIRED: { code: 'certificate', words: 'its TLS certificate has expired' },
  CERT_NOT_YET_VALID: { code: 'certificate', words: 'its TLS certificate is not valid yet' },
  ERR_TLS_CERT_ALTNAME_INVALID: {
    code: 'certificate',
    words: 'its TLS certificate is for another host name',
  },
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  UNABLE_TO_GET_ISSUER_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  EPROTO: noTls,
  ERR_SSL_WRONG_VERSION_NUMBER: noTls,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: noTls,
}

/** @param error the error of a request or socket; the code is looked up in its `cause` too, where `fetch` puts it */
export function causeOfError(error: unknown): FailureCause {
  const code = codeOf(error)
  if (code?.startsWith('HPE_'))
    return {
      code: 'not_http',
      words: `what answers there is not HTTP (${code}); the address may need https://`,
    }
  return (
    causes[code ?? ''] ?? {
      code: 'connection_failed',
      words: `the connection failed (${code ?? 'no reason'})`,
    }
  )
}

const codeOf = (error: unknown): string | undefined =>
  errorCode(error) ?? (error instanceof Error ? codeOf(error.cause) : undefined)

/** The cause when no answer came within a time. */
export const silentFor = (milliseconds: number): FailureCause => ({
  code: 'no_answer',
  words: `no answer within ${milliseconds / 1000} s`,
})

/** @param what the answer had instead, such as its status and content type */
export const notItsApi = (what: string): FailureCause => ({
  code: 'not_its_api',
  words: `what answers there is not its API (${what})`,
})

/** Host and port of an address; never its user name, password, path or query. */
export const hostAndPort = ({ hostname, port, protocol }: URL): string =>
  `${hostname}:${port || (protocol === 'https:' || protocol === 'wss:' ? 443 : 80)}`
