/**
 * Runs an endpoint of a farm for a caller. HTTP requests, Discord commands, schedules and the calls that an edge
 * forwards come here, and nothing else runs one. At the edge, calls that only the farm can answer are checked and
 * forwarded. It knows no transport: its caller has found the holder of the key, has counted the call against the
 * holder's rate, and answers with the result or error.
 */

import type { ForwardedCall } from '../../bridges/linked/forwarded-call.ts'
import type { Endpoint, FarmPorts } from '../../handlers/endpoint.ts'
import { FarmError, mayBeMade } from '../../handlers/farm-error.ts'
import type { EdgeEndpoint } from '../../handlers/forwarded-endpoint.ts'
import { readBody } from '../../handlers/json-body.ts'
import { readParameters, sentQuery } from '../../handlers/parameter.ts'
import { Problem, problemFrom, problemWithCause, requireScope } from '../../handlers/problem.ts'
import { Stream } from '../../handlers/stream.ts'
import { foreignValue } from '../../lib/foreign/read.ts'
import type { Call, DispatchParts } from './call.ts'
import { RequestToEndpoint } from './endpoint-request.ts'
import { streamHolder } from './open-streams.ts'
import { queryParameters, sentParameters } from './sent-parameters.ts'

interface Outcome {
  readonly result: unknown
  /** A stream has its own. */
  readonly status: 200 | 201 | 202
  /** Since when the filters of a long poll have held, milliseconds since 1970; undefined for any other call. */
  readonly changedAt: number | undefined
}

/** @throws {Problem | FarmError} after the call's row in the audit is written */
export type Dispatch = (endpoint: EdgeEndpoint, call: Call) => Promise<Outcome>

export const dispatcher = (parts: DispatchParts): Dispatch => {
  const { farm, audit, streams } = parts
  /** A stream counts from here until it ends. Nothing reads the body of an answer to HEAD. */
  const counted = async (
    result: unknown,
    call: Call,
    request: RequestToEndpoint<unknown, unknown>,
  ): Promise<unknown> => {
    if (!(result instanceof Stream) || typeof result.body === 'string') return result
    if (call.range !== undefined) {
      const { holder, isStillAllowed } =
        result.right === undefined ? request : request.onBehalf(undefined, result.right)
      return streams.opened(result, streamHolder(holder, call.from.address), isStillAllowed)
    }
    await result.body.cancel()
    // A response refuses a body that was cancelled.
    return new Stream(new ReadableStream(), result.type, result)
  }
  return async (endpoint, call) => {
    const { holder } = call
    const isWrite = endpoint.method !== 'GET'
    const sent = sentQuery(call.search)
    const write =
      isWrite && holder !== undefined
        ? audit.write({ ...call.from, action: endpoint.operationId }, holder, () =>
            queryParameters(endpoint, sent),
          )
        : undefined
    let isForwarded = false
    try {
      if (holder !== undefined) requireScope(holder, endpoint.scope)
      // The body's type is checked before the parameters, which the edge does not know of every endpoint.
      const text = endpoint.body && (await call.body(endpoint.body))
      const upload = endpoint.upload && call.upload?.(endpoint.upload)
      const read = (of: Endpoint) => {
        const query = readParameters(of.parameters, sent)
        const json = text === undefined ? undefined : foreignValue(text)
        write?.began(sentParameters(of, sent, json))
        const body = of.body && readBody(of.body, json, text?.trim() === '')
        of.check?.({ query, body })
        return { query, body, upload }
      }
      // The farm reads them again, but does not answer while it is offline.
      const given = 'handle' in endpoint ? read(endpoint) : { query: {}, body: undefined, upload }
      const request = new RequestToEndpoint(given, endpoint.scope, call, parts)
      if (endpoint.at === 'farm' && 'forward' in farm) {
        isForwarded = true
        const forwarded = forwardedCall(call, text)
        const { result, status } = await farm.forward(endpoint, forwarded, upload && request.upload)
        return { result: await counted(result, call, request), status, changedAt: undefined }
      }
      if (!('handle' in endpoint)) throw new Error(`${endpoint.operationId} runs only at the farm`)
      // One that only the farm runs is here only with the farm's own ports.
      const made = await (endpoint.at === 'farm'
        ? endpoint.handle(request, farm as FarmPorts)
        : endpoint.handle(request, farm))
      // The records report that they are in memory before they answer a write there.
      const isInMemory = endpoint.keeps === true && farm.records.state() === 'failed'
      const result = isInMemory ? { ...Object(made), stored: 'memory' } : made
      const status = endpoint.existed?.(result, given.query) === true ? 200 : (endpoint.status ?? 200)
      if (write !== undefined) await write.ended(status, false)
      return {
        result: await counted(result, call, request),
        status,
        changedAt: request.changedAt,
      }
    } catch (error) {
      const isUnknown = !(error instanceof Problem) && mayBeMade(error)
      // The farm has written the row of a call that it has dispatched.
      if (!isForwarded || (error instanceof FarmError && !isUnknown))
        await write?.ended(problemFrom(error).status, isUnknown)
      throw problemWithCause(error, farm.game.health().cause)
    }
  }
}

const forwardedCall = (
  { search, holder, from, takesDiscord, attempt, range }: Call,
  body: string | undefined,
): Omit<ForwardedCall, 'operationId'> => ({
  search,
  from,
  takesDiscord,
  ...(body !== undefined && { body }),
  ...(holder !== undefined && { holder: { ...holder, scopes: [...holder.scopes] } }),
  ...(attempt !== undefined && { attempt }),
  ...(range !== undefined && { range }),
})
