/** The errors of the control API in its OpenAPI document. */
import { cause } from '../../handlers/cause.ts'
import type { Endpoint, FleetEndpoint } from '../../handlers/endpoint.ts'
import { scopes } from '../../handlers/key-holder.ts'
import { Problem, problemBody } from '../../handlers/problem.ts'
import { isRetryable, type ProblemCode, problemTable, statusOf } from '../../handlers/problem-table.ts'
import { jsonSchemaOf } from './json-schema.ts'

export const everywhere: readonly ProblemCode[] = [
  'rate_limited',
  'uri_too_long',
  'headers_too_large',
  'internal_error',
]
export const whereAKeyIsNeeded: readonly ProblemCode[] = ['unauthorized', 'insufficient_scope']
export const whereTheGameIsAsked: readonly ProblemCode[] = [
  'bad_game_response',
  'game_unavailable',
  'game_timeout',
]

export const responseHeaders = {
  'X-Request-Id': { description: "The caller's id, or a new one", schema: { type: 'string' } },
  'X-Snapshot-Age-Ms': {
    description: 'Milliseconds since the newest snapshot of the game was taken',
    schema: { type: 'integer' },
  },
}

const retryAfter = {
  'Retry-After': {
    description: 'Seconds after which trying again can help; not sent where a change may have been made',
    schema: { type: 'integer' },
  },
}

export const errorSchema = {
  type: 'object',
  required: ['success', 'error', 'code'],
  properties: {
    success: { const: false },
    error: { type: 'string', description: 'One sentence for a person' },
    code: { type: 'string', enum: Object.keys(problemTable).filter((code) => code !== 'wait_timeout') },
    parameter: { type: 'string', description: 'The query parameter, or the member of the body, at fault' },
    scope: { type: 'string', enum: scopes, description: 'The scope that the key lacks' },
    path: { type: 'string', description: 'The unknown route' },
    retry: { type: 'boolean', description: 'Trying again can help' },
    cause: jsonSchemaOf(cause),
  },
}

/** One response for each status, with every error code that it can have. */
export function problemResponses(codes: readonly ProblemCode[], endpoint?: Endpoint | FleetEndpoint): object {
  const byStatus = Map.groupBy(new Set(codes), (code) => statusOf(code))
  return Object.fromEntries(
    Array.from(byStatus, ([status, [first, ...rest]]) => [
      status,
      first === undefined || first === 'wait_timeout'
        ? { description: 'The time is over', headers: responseHeaders }
        : {
            description: [first, ...rest].join(' / '),
            headers: { ...responseHeaders, ...([first, ...rest].some(isRetryable) && retryAfter) },
            content: {
              'application/json': problemContent(first, endpoint),
            },
          },
    ]),
  )
}

function problemContent(code: ProblemCode, endpoint: Endpoint | FleetEndpoint | undefined): object {
  const problem = { $ref: '#/components/schemas/Error' }
  const sentence = 'One sentence for a person'
  // One response has one schema: the members of all codes of a status that have more.
  const members = (endpoint?.problemMembers ?? []).filter((one) => statusOf(one.code) === statusOf(code))
  const [first] = members
  // A write without an answer may have been made, so its error has no `retry`.
  const isUnsafe = code === 'game_timeout' && endpoint !== undefined && endpoint.method !== 'GET'
  if (first === undefined)
    return {
      schema: problem,
      example: problemBody(new Problem(code, sentence, { ...(isUnsafe && { isRepeatUnsafe: true }) })),
    }
  return {
    schema: { allOf: [problem, ...members.map(({ schema }) => jsonSchemaOf(schema))] },
    example: problemBody(new Problem(first.code, sentence, { beside: first.example })),
  }
}
