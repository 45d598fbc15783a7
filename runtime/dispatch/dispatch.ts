/**
 * Runs an endpoint for a caller. HTTP requests and Discord commands come here, and nothing else runs an endpoint.
 * It knows no transport: its caller has found the holder of the key, has counted the call against the holder's rate, and
 * answers with what it returns or throws.
 */
import type { Endpoint } from '../../handlers/endpoint.ts'
import { mayBeMade } from '../../handlers/farm-error.ts'
import { readBody } from '../../handlers/json-body.ts'
import { readParameters, sentQuery } from '../../handlers/parameter.ts'
import { Problem } from '../../handlers/problem.ts'
import { readJson } from '../../lib/json.ts'
import { problemFrom } from '../http/failure.ts'
import { requireScope } from '../http/gate.ts'
import type { Call, DispatchParts } from './call.ts'
import { RequestToEndpoint } from './endpoint-request.ts'
import { sentParameters } from './sent-parameters.ts'

interface Outcome {
  readonly result: unknown
  readonly status: number
  /** Since when the filters of a long poll have held, milliseconds since 1970; undefined for any other call. */
  readonly changedAt: number | undefined
}

/** @throws {Problem | FarmError} after the call's row in the audit is written */
export type Dispatch = (endpoint: Endpoint, call: Call) => Promise<Outcome>

export const dispatcher = (parts: DispatchParts): Dispatch => {
  const { farm, audit } = parts
  return async (endpoint, call) => {
    const { holder, from } = call
    const isWrite = endpoint.method !== 'GET'
    const sent = sentQuery(call.search)
    const write =
      isWrite && holder !== undefined
        ? audit.write({ ...from, action: endpoint.operationId }, holder, () => sentParameters(endpoint, sent))
        : undefined
    try {
      if (holder !== undefined) requireScope(holder, endpoint.scope)
      const query = readParameters(endpoint.parameters, sent)
      const text = endpoint.body === undefined ? '' : await call.body(endpoint.body)
      const json = endpoint.body === undefined ? undefined : readJson(text)
      write?.began(sentParameters(endpoint, sent, json))
      const body = endpoint.body === undefined ? undefined : readBody(endpoint.body, json, text.trim() === '')
      const request = new RequestToEndpoint(query, body, endpoint.scope, call, parts)
      const result = await endpoint.handle(request, farm)
      const status = endpoint.existed?.(result) === true ? 200 : (endpoint.status ?? 200)
      await write?.ended(status, false)
      return { result, status, changedAt: request.changedAt }
    } catch (error) {
      await write?.ended(problemFrom(error).status, !(error instanceof Problem) && mayBeMade(error))
      throw error
    }
  }
}
