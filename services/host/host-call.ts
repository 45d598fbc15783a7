/** Calls of the server that hosts the game's process: a container engine or a panel. */

import type { IncomingMessage } from 'node:http'
import { FarmError } from '../../handlers/farm-error.ts'
import { causeOfError, silentFor } from '../../lib/failure-cause.ts'
import { collected } from '../../lib/foreign/collected.ts'
import { foreignValue } from '../../lib/foreign/read.ts'
import { type SingleRequestOptions, singleRequest } from '../../lib/single-request.ts'
import { hostUnavailable } from './host-unavailable.ts'

export interface HostServer {
  /** The subject of sentences about it, such as "The Docker engine at 127.0.0.1:2375". */
  readonly name: string
  /** The address of its API, with a slash at its end. */
  readonly base: URL
  /** The Unix socket at which it listens, instead of the address. */
  readonly socketPath?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Ends every call. */
  readonly closed: AbortSignal
}

export interface HostCall extends Pick<SingleRequestOptions, 'upgraded'> {
  readonly method: 'GET' | 'POST'
  /** Relative to the base, with the query. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal: AbortSignal
}

export interface HostAnswer {
  readonly status: number
  readonly body: unknown
  /** The name of the answering program. */
  readonly server: string
}

/** The largest answer that is not a log, in bytes. An inspected container has some kilobytes. */
const maxBytes = 1024 * 1024

/** @returns the answer with its body unread @throws the error of the connection, or the reason of the signal */
export async function openCall(host: HostServer, call: HostCall): Promise<IncomingMessage> {
  const { request, answered } = singleRequest(new URL(call.path, host.base), {
    method: call.method,
    headers: {
      ...host.headers,
      ...call.headers,
      ...(call.method === 'POST' && { 'content-length': Buffer.byteLength(call.body ?? '') }),
      ...(call.body !== undefined && { 'content-type': 'application/json' }),
    },
    signal: call.signal,
    ...(host.socketPath !== undefined && { socketPath: host.socketPath }),
    ...(call.upgraded !== undefined && { upgraded: call.upgraded }),
  })
  // Notices that the peer of a quiet log was lost.
  request.setSocketKeepAlive(true, 30_000)
  request.end(call.body)
  return answered
}

/**
 * Makes a call and reads its answer.
 * @param limit milliseconds for all of it
 * @throws {FarmError} host_unavailable when no complete answer comes within the limit
 */
export async function callHost(
  host: HostServer,
  call: Omit<HostCall, 'signal'>,
  limit: number,
): Promise<HostAnswer> {
  const over = AbortSignal.timeout(limit)
  const signal = AbortSignal.any([over, host.closed])
  try {
    const answer = await openCall(host, { ...call, signal })
    const { statusCode: status = 0, headers } = answer
    const server = String(headers['server'])
    if (status === 101) return { status, server, body: undefined }
    const read = collected(maxBytes)
    for await (const part of answer as AsyncIterable<Buffer>)
      if (!read.add(part)) throw hostUnavailable(`${host.name} sends an answer that is too long`)
    return { status, server, body: foreignValue(read.whole()) }
  } catch (error) {
    throw withoutAnswer(host, error, over.aborted ? limit : undefined)
  }
}

/** @param limit milliseconds, where they are over */
export const withoutAnswer = (host: HostServer, error: unknown, limit?: number): FarmError => {
  if (error instanceof FarmError) return error
  const { words } = limit === undefined ? causeOfError(error) : silentFor(limit)
  return hostUnavailable(`${host.name} does not answer: ${words}`)
}
