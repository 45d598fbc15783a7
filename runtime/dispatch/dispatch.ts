/**
 * Runs an endpoint for a caller. HTTP requests and Discord commands come here, and nothing else runs an endpoint.
 * It knows no transport: its caller has found the holder of the key, has counted the call against the holder's rate, and
 * answers with what it returns or throws.
 */
import type { BegunWrite } from '../../handlers/audit-entry.ts'
import type { Endpoint, Farm, JsonBody, RangeHeaders } from '../../handlers/endpoint.ts'
import { mayBeMade } from '../../handlers/game-error.ts'
import { readJson } from '../../handlers/json.ts'
import { readBody } from '../../handlers/json-body.ts'
import type { KeyHolder } from '../../handlers/key-holder.ts'
import { readParameters, sentQuery } from '../../handlers/parameter.ts'
import { Problem } from '../../handlers/problem.ts'
import { problemFrom } from '../http/failure.ts'
import { type Gate, requireScope } from '../http/gate.ts'
import type { FilterChanges } from '../http/predicate-changed-at.ts'
import type { Audit } from './audit.ts'
import { RequestToEndpoint } from './endpoint-request.ts'
import { sentParameters } from './sent-parameters.ts'

/** What a server gives all its calls. */
export interface DispatchParts {
  readonly farm: Farm
  readonly gate: Pick<Gate, 'current'>
  readonly audit: Pick<Audit, 'write'>
  readonly publicInviteCodes: boolean
  readonly takesDiscord: boolean
  /** Ends long polls when the process stops. */
  readonly stopping?: AbortSignal | undefined
  readonly changes: FilterChanges
  /** Milliseconds since 1970. */
  now(): number
}

export interface Call {
  /** The query as it was sent, without its `?`. */
  readonly search: string
  /** The body as text. Called for an endpoint that has one, after the checks. @throws {Problem} */
  readonly body: (of: JsonBody<unknown>) => Promise<string>
  /** Who may do what needs a key; undefined for a caller without a valid one. */
  readonly holder: KeyHolder | undefined
  /** How the audit names where it came from. */
  readonly from: Pick<BegunWrite, 'requestId' | 'address' | 'isCommand'>
  readonly range?: RangeHeaders | undefined
  /** Aborted when the caller has left; missing where the runtime does not say so. */
  readonly over?: AbortSignal | undefined
}

interface Outcome {
  readonly result: unknown
  readonly status: number
  /** Since when the filters of a long poll have held, milliseconds since 1970; undefined for any other call. */
  readonly changedAt: number | undefined
}

/** @throws {Problem | GameError} after the call's row in the audit is written */
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
