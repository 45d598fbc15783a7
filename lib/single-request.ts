/**
 * Requests to servers of others, each on its own connection: to webhook receivers, backup storage, and the host of the
 * game's process.
 */
import { type IncomingMessage, request as plainRequest, type RequestOptions } from 'node:http'
import { request as tlsRequest } from 'node:https'
import type { Duplex } from 'node:stream'

export interface SingleRequestOptions
  extends Pick<RequestOptions, 'method' | 'headers' | 'lookup' | 'timeout' | 'socketPath'> {
  /** Ends the request and its answer. */
  readonly signal: AbortSignal
  /** Takes the connection of an answer that switches to another protocol (101); without it the connection is closed. */
  readonly upgraded?: (connection: Duplex) => void
}

export type SingleRequest = ReturnType<typeof singleRequest>

/** Bytes of the headers of an answer. */
const maxHeaders = 16_384

/** Opens a request. @param url with http: or https: */
export function singleRequest(url: URL, options: SingleRequestOptions) {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const open = url.protocol === 'https:' ? tlsRequest : plainRequest
  // A kept connection would lead to an address that was checked long ago, and requests are minutes or hours apart.
  const request = open(url, { ...options, agent: false, maxHeaderSize: maxHeaders })
  request.on('response', resolve)
  request.on('upgrade', (answer, connection) => {
    // Destroying the answer destroys its connection.
    if (options.upgraded === undefined) answer.destroy()
    else options.upgraded(connection)
    resolve(answer)
  })
  request.on('error', reject)
  // Node ends some requests without an error, and an abort after that has no effect.
  request.on('close', () =>
    reject(Object.assign(new Error('closed without an answer'), { code: 'ECONNRESET' })),
  )
  return {
    /** Takes the body; emits `timeout` after `timeout` milliseconds without a byte in either direction. */
    request,
    /**
     * The answer with its body unread, of any status: redirects are not followed. An answer that switches to another
     * protocol (101) has no body.
     * @throws the error of the connection; it always settles when the connection ends or the signal aborts
     */
    answered: promise,
  }
}
