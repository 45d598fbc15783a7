import { invalidResponse } from './fetch-error.ts'

/** The fields of a response's head that describe its body (RFC 9112, 6). */
export interface Head {
  readonly status: number
  readonly keepAlive: boolean
  readonly chunked: boolean
  /** Bytes of the body; `undefined` when it ends with the connection. */
  readonly length: number | undefined
}

/** @throws FetchError `cut` when it is not HTTP/1, or the fields about the body's length are invalid or differ */
export function readHead(text: string): Head {
  const [line = '', ...fields] = text.split('\r\n')
  const [, minor, status] = /^HTTP\/1\.([01]) (\d{3})(?: |$)/.exec(line) ?? []
  if (minor === undefined) throw invalidResponse()
  let keepAlive = minor === '1'
  let chunked = false
  let length: number | undefined
  for (const field of fields) {
    const colon = field.indexOf(':')
    const value = field.slice(colon + 1).trim()
    switch (field.slice(0, colon).toLowerCase()) {
      case 'content-length': {
        const stated = /^\d{1,15}$/.test(value) ? Number(value) : undefined
        if (stated === undefined || (length !== undefined && length !== stated)) throw invalidResponse()
        length = stated
        break
      }
      case 'transfer-encoding':
        if (chunked || value.toLowerCase() !== 'chunked') throw invalidResponse()
        chunked = true
        break
      case 'connection':
        if (/\bclose\b/i.test(value)) keepAlive = false
        break
    }
  }
  // With both a length and chunks, the chunks count and the connection is not reused (RFC 9112, 6.3).
  if (chunked && length !== undefined) keepAlive = false
  return { status: Number(status), keepAlive, chunked, length: chunked ? undefined : length }
}
