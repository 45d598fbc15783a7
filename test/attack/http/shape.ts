/** The common parts of the shapes of HTTP requests. */

/** @param then whether the server ends the connection, or serves another request on it */
export type Shape = readonly [
  what: string,
  bytes: string,
  statuses: readonly number[],
  then: 'ends' | 'stays',
]

/** The targets of a service. */
export interface Targets {
  readonly key: string
  /** The target of a read that needs the key. */
  readonly keyed: string
  /** The target of a write that needs the key and no body. */
  readonly good: string
  /** The target of the writes that must never be carried out. */
  readonly bad: string
  /** The target of a write that reads its body. */
  readonly readsBody: string
}

/** Requests to a service, as text of latin-1. */
export interface Requests extends Targets {
  readonly bearer: string
  /** A read without the key that leaves its connection open. */
  get(path: string, ...headers: readonly string[]): string
  /** A write that the server must carry out. */
  post(...headers: readonly string[]): string
  /** A write that reads its body, which is not included. */
  reads(...headers: readonly string[]): string
  /** A write that must never be carried out: it is refused, or no request can start at its place. */
  forbidden(...headers: readonly string[]): string
}

export const lines = (...all: readonly string[]) => `${all.join('\r\n')}\r\n\r\n`

export function requestsOf(targets: Targets): Requests {
  const bearer = `Authorization: Bearer ${targets.key}`
  const write =
    (target: string) =>
    (...headers: readonly string[]) =>
      lines(`POST ${target} HTTP/1.1`, 'Host: x', bearer, ...headers)
  return {
    ...targets,
    bearer,
    get: (path, ...headers) => lines(`GET ${path} HTTP/1.1`, 'Host: x', ...headers),
    post: write(targets.good),
    reads: (...headers) => write(targets.readsBody)('Content-Type: application/json', ...headers),
    forbidden: write(targets.bad),
  }
}
