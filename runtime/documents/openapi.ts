/** The OpenAPI 3.1 document of the control API, made from the endpoints' descriptors. */
import { auditEntry } from '../../handlers/audit-entry.ts'
import type { Endpoint } from '../../handlers/endpoint.ts'
import { endpoints } from '../../handlers/endpoints/all-endpoints.ts'
import { auditFilter } from '../../handlers/endpoints/audit.ts'
import { backupId } from '../../handlers/endpoints/delete-backup.ts'
import { type Scope, scopes } from '../../handlers/key-holder.ts'
import type { Parameter } from '../../handlers/parameter.ts'
import { isRetryable, Problem, type ProblemCode, problemBody, problemStatus } from '../../handlers/problem.ts'
import { jsonLines } from '../audit-export.ts'
import { version } from '../version.ts'
import { jsonSchemaOf, namedSchemas, shownRecord } from './json-schema.ts'

const everywhere: readonly ProblemCode[] = [
  'rate_limited',
  'uri_too_long',
  'headers_too_large',
  'internal_error',
]
const whereAKeyIsNeeded: readonly ProblemCode[] = ['unauthorized', 'insufficient_scope']
const whereTheGameIsAsked: readonly ProblemCode[] = ['bad_game_response', 'game_unavailable', 'game_timeout']

/** @param up the relative path from the document's folder to the API's root: `.` or `../..` */
export function openApi(up: string): object {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const endpoint of endpoints) {
    const item = paths[endpoint.path] ?? {}
    item[endpoint.method.toLowerCase()] = operation(endpoint)
    paths[endpoint.path] = item
  }
  for (const { path, method, ...described } of beside) paths[path] = { [method]: described }
  return {
    openapi: '3.1.0',
    info: {
      title: 'farmgate control API',
      version,
      summary: 'Watch and steer a dedicated Stardew Valley server',
      description: [
        'Send `Authorization: Bearer <key>`: API_KEY, or a named key that has the scope of the call. Player ids are 64-bit integers: read them with a parser that keeps every digit, or read the text beside each (`id` and `idText`).',
        'The chat relay is a WebSocket at `/ws`, described in `asyncapi.json`.',
      ].join('\n\n'),
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: up }],
    security: [{ key: [] }],
    tags: [...new Set(endpoints.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        key: {
          type: 'http',
          scheme: 'bearer',
          description:
            'The value of API_KEY, or a named key that has the scope; `admin` includes the other scopes',
        },
      },
      schemas: { ...namedSchemas(), Error: errorSchema },
    },
  }
}

function operation(endpoint: Endpoint): object {
  const { operationId, summary, tag, access, scope, parameters, result, example, body } = endpoint
  const problems: readonly ProblemCode[] = [
    ...(Object.keys(parameters).length > 0 || body !== undefined ? (['invalid_parameter'] as const) : []),
    ...(access === 'key' ? [...whereAKeyIsNeeded, ...whereTheGameIsAsked] : []),
    ...(endpoint.method === 'GET' ? [] : (['origin_not_allowed'] as const)),
    ...(body === undefined ? [] : (['payload_too_large'] as const)),
    ...(body?.type === undefined ? [] : (['unsupported_media_type'] as const)),
    ...endpoint.problems,
    ...everywhere,
  ]
  return {
    operationId,
    summary,
    tags: [tag],
    ...(access === 'public' ? { security: [{}, { key: [] }] } : needs(scope)),
    parameters: [...Object.entries(parameters).map(queryParameter), requestId],
    ...(body !== undefined && {
      requestBody: {
        required: body.type !== undefined,
        content: { 'application/json': { schema: jsonSchemaOf(body.schema), example: body.example } },
      },
    }),
    responses: {
      [endpoint.status ?? 200]: {
        description: summary,
        headers: { ...responseHeaders, ...('since' in parameters && filterChange) },
        content: {
          'application/json': {
            schema: jsonSchemaOf(result),
            example: shownRecord(example),
          },
        },
      },
      ...problemResponses(problems, endpoint),
    },
  }
}

/** The scope that a key needs. OpenAPI 3.1 takes the names of roles for a scheme that has no scopes of its own. */
const needs = (scope: Scope | undefined) =>
  scope === undefined
    ? { security: [{ key: [] }] }
    : { description: `Scope: ${scope}`, security: [{ key: [scope] }] }

const queryParameter = ([name, parameter]: [string, Parameter<unknown>]) => ({
  name,
  in: 'query',
  required: parameter.required,
  description: parameter.description,
  schema: parameter.schema,
  ...(parameter.example !== undefined && { example: exampleValue(parameter) }),
})

/** The example as the parameter reads it, so that it has the type of the schema. */
const exampleValue = ({ read, example = '' }: Parameter<unknown>) => read(example)

const requestId = {
  name: 'X-Request-Id',
  in: 'header',
  required: false,
  description: 'Echoed in the answer and in the log when it is 1 to 128 visible ASCII characters',
  schema: { type: 'string', minLength: 1, maxLength: 128 },
}

const filterChange = {
  'X-Predicate-Changed-At-Ms-Ago': {
    description: 'Where a filter was given: since when it holds',
    schema: { type: 'integer' },
  },
}

const responseHeaders = {
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

const errorSchema = {
  type: 'object',
  required: ['success', 'error', 'code'],
  properties: {
    success: { const: false },
    error: { type: 'string', description: 'One sentence for a person' },
    code: { type: 'string', enum: Object.keys(problemStatus).filter((code) => code !== 'wait_timeout') },
    parameter: { type: 'string', description: 'The query parameter, or the member of the body, at fault' },
    scope: { type: 'string', enum: scopes, description: 'The scope that the key lacks' },
    path: { type: 'string', description: 'The unknown route' },
    retry: { type: 'boolean', description: 'Trying again can help' },
  },
}

/** One response for each status, with every error code that it can have. */
function problemResponses(codes: readonly ProblemCode[], endpoint?: Endpoint): object {
  const byStatus = Map.groupBy(new Set(codes), (code) => problemStatus[code])
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

function problemContent(code: ProblemCode, endpoint: Endpoint | undefined): object {
  const problem = { $ref: '#/components/schemas/Error' }
  const sentence = 'One sentence for a person'
  const beside = endpoint?.problemBeside
  // When a write gets no answer it may have been made, so its error has no `retry`.
  const isUnsafe = code === 'game_timeout' && endpoint !== undefined && endpoint.method !== 'GET'
  if (beside === undefined || problemStatus[beside.code] !== problemStatus[code])
    return {
      schema: problem,
      example: problemBody(new Problem(code, sentence, { ...(isUnsafe && { isRepeatUnsafe: true }) })),
    }
  return {
    schema: { allOf: [problem, jsonSchemaOf(beside.schema)] },
    example: problemBody(new Problem(beside.code, sentence, { beside: beside.example })),
  }
}

const text = (description: string, type: string) => ({
  200: { description, content: { [type]: { schema: { type: 'string' } } } },
  ...problemResponses(everywhere),
})

const archive = (status: number, description: string) => ({
  [status]: { description, content: { 'application/zip': { schema: { type: 'string', format: 'binary' } } } },
})

/** What the router serves besides the endpoints. */
const beside = [
  {
    path: '/metrics',
    method: 'get',
    operationId: 'getMetrics',
    summary: 'Prometheus metrics',
    tags: ['Server'],
    ...needs('read'),
    responses: { ...text('Prometheus text', 'text/plain'), ...problemResponses(whereAKeyIsNeeded) },
  },
  {
    path: '/audit/export',
    method: 'get',
    operationId: 'exportAudit',
    summary: 'The whole audit, one row as JSON in each line, newest first',
    tags: ['Audit'],
    ...needs('admin'),
    parameters: Object.entries<Parameter<unknown>>(auditFilter).map(queryParameter),
    responses: {
      200: {
        description: 'Rows of the audit',
        content: { [jsonLines]: { schema: jsonSchemaOf(auditEntry) } },
      },
      ...problemResponses(['invalid_parameter', 'game_unavailable', ...whereAKeyIsNeeded, ...everywhere]),
    },
  },
  {
    path: '/backups/download',
    method: 'get',
    operationId: 'downloadBackup',
    summary: 'The archive of a backup, a zip; a header Range asks for a part of it',
    tags: ['Backups'],
    ...needs('admin'),
    parameters: Object.entries<Parameter<unknown>>(backupId).map(queryParameter),
    responses: {
      ...archive(200, 'The archive'),
      ...archive(206, 'The range that was asked for'),
      ...problemResponses([
        'invalid_parameter',
        'backup_not_found',
        'range_not_satisfiable',
        'game_unavailable',
        'disk_failed',
        ...whereAKeyIsNeeded,
        ...everywhere,
      ]),
    },
  },
  {
    path: '/discord/interactions',
    method: 'post',
    operationId: 'answerDiscord',
    summary: 'Commands of /farm in Discord, which signs each request (docs/discord.md)',
    tags: ['Discord'],
    security: [{}],
    requestBody: { required: true, content: { 'application/json': { schema: { type: 'object' } } } },
    responses: {
      200: {
        description: 'A message',
        content: { 'application/json': { schema: { type: 'object' }, example: { type: 1 } } },
      },
      ...problemResponses([
        'malformed_request',
        'unauthorized',
        'origin_not_allowed',
        'not_found',
        'payload_too_large',
        ...everywhere,
      ]),
    },
  },
  {
    path: '/ws',
    method: 'get',
    operationId: 'openChat',
    summary: 'The chat relay: open it as a WebSocket and authenticate by message (asyncapi.json)',
    tags: ['Server'],
    security: [{}],
    responses: {
      101: { description: 'Switching protocols' },
      ...problemResponses([
        'malformed_request',
        'origin_not_allowed',
        'upgrade_required',
        'too_many_clients',
        ...everywhere,
      ]),
    },
  },
] as const
