/** What the shapes of HTTP requests have in common. */
import { suiteKey } from '../../contract/server-under-test.ts'

/** @param then whether the server ends the connection, or serves another request on it */
export type Shape = readonly [
  what: string,
  bytes: string,
  statuses: readonly number[],
  then: 'ends' | 'stays',
]

export const bearer = `Authorization: Bearer ${suiteKey}`
const lines = (...all: readonly string[]) => `${all.join('\r\n')}\r\n\r\n`

/** A request that leaves its connection open. */
export const get = (path: string, ...headers: readonly string[]) =>
  lines(`GET ${path} HTTP/1.1`, 'Host: x', ...headers)
/** A write that the server is right to carry out. */
export const post = (...headers: readonly string[]) =>
  lines('POST /rendering?fps=7 HTTP/1.1', 'Host: x', bearer, ...headers)
/** A write that must never be carried out: it is refused, or stands where no request begins. */
export const forbidden = (...headers: readonly string[]) =>
  lines('POST /rendering?fps=66 HTTP/1.1', 'Host: x', bearer, ...headers)
