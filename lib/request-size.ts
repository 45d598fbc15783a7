/** The size of a request's head, and the limits of every server. */

/** Limit of path and query together. */
export const maxUrlBytes = 4096
export const maxHeadBytes = 16 * 1024

/** Bytes of a request line in addition to its target, and of a header line in addition to name and value. */
export const requestLineBytes = 16
export const headerLineBytes = 4

export function headBytes(url: string, headers: Iterable<readonly [name: string, value: string]>): number {
  let bytes = requestLineBytes + url.length
  for (const [name, value] of headers) bytes += name.length + value.length + headerLineBytes
  return bytes
}
