/** An endpoint as an operation of the OpenAPI document. */
import type { Endpoint, FleetEndpoint, StreamDescription } from '../../handlers/endpoint.ts'
import { farmName } from '../../handlers/fleet.ts'
import type { Scope } from '../../handlers/key-holder.ts'
import type { Parameter } from '../../handlers/parameter.ts'
import type { ProblemCode } from '../../handlers/problem-table.ts'
import { jsonSchemaOf, shownRecord } from './json-schema.ts'
import {
  everywhere,
  problemResponses,
  responseHeaders,
  whereAKeyIsNeeded,
  whereTheGameIsAsked,
} from './problem-responses.ts'

export function operation(endpoint: Endpoint | FleetEndpoint): object {
  const { operationId, summary, tag, path, parameters, stream, body, upload } = endpoint
  const { access, scope } = 'access' in endpoint ? endpoint : { access: 'fleet' as const }
  const ofPath = path.includes('{farm}') ? [farmParameter] : []
  const problems: readonly ProblemCode[] = [
    ...(Object.keys(parameters).length > 0 || body !== undefined || access === 'fleet'
      ? (['invalid_parameter'] as const)
      : []),
    ...(access === 'key' ? whereAKeyIsNeeded : []),
    ...(access === 'fleet' ? (['unauthorized', 'not_configured'] as const) : []),
    ...(access === 'key' && stream === undefined ? whereTheGameIsAsked : []),
    ...(endpoint.method === 'GET' || access === 'fleet' ? [] : (['origin_not_allowed'] as const)),
    ...(body === undefined && upload === undefined ? [] : (['payload_too_large'] as const)),
    ...(body?.type === undefined && upload === undefined ? [] : (['unsupported_media_type'] as const)),
    ...endpoint.problems,
    ...everywhere,
  ]
  return {
    operationId,
    summary,
    tags: [tag],
    ...(access === 'fleet'
      ? { security: [{ fleetKey: [] }] }
      : access === 'public'
        ? { security: [{}, { key: [] }] }
        : needs(scope)),
    parameters: [...ofPath, ...Object.entries(parameters).map(queryParameter), requestId],
    ...(body !== undefined && {
      requestBody: {
        required: body.type !== undefined && body.isOptional !== true,
        content: { 'application/json': { schema: jsonSchemaOf(body.schema), example: body.example } },
      },
    }),
    ...(upload !== undefined && {
      requestBody: {
        required: true,
        description: upload.description,
        content: {
          [upload.type]: { schema: { type: 'string', format: 'binary', maxLength: upload.maxBytes } },
        },
      },
    }),
    responses: {
      ...(endpoint.redirect
        ? { 303: { description: summary, headers: { Location: { schema: { type: 'string' } } } } }
        : endpoint.stream === undefined
          ? recordAnswer(endpoint)
          : streamAnswers(endpoint.stream)),
      ...problemResponses(problems, endpoint),
    },
  }
}

const recordAnswer = ({
  status,
  existed,
  summary,
  parameters,
  result,
  example,
}: Endpoint | FleetEndpoint) => {
  const answer = {
    description: summary,
    headers: { ...responseHeaders, ...('since' in parameters && filterChange) },
    content: {
      'application/json': {
        ...(result !== undefined && { schema: jsonSchemaOf(result) }),
        example: shownRecord(example),
      },
    },
  }
  return { [status ?? 200]: answer, ...(existed !== undefined && { 200: answer }) }
}

const streamAnswers = ({ type, otherTypes = [], description, schema, part }: StreamDescription) => {
  const shown = { schema: schema === undefined ? { type: 'string', format: 'binary' } : jsonSchemaOf(schema) }
  const content = Object.fromEntries([type, ...otherTypes].map((one) => [one, shown]))
  return { 200: { description, content }, ...(part !== undefined && { 206: { description: part, content } }) }
}

/** The scope that a key needs. OpenAPI 3.1 takes the names of roles for a scheme that has no scopes itself. */
const needs = (scope: Scope | undefined) =>
  scope === undefined
    ? { security: [{ key: [] }] }
    : { description: `Scope: ${scope}`, security: [{ key: [scope] }] }

const farmParameter = {
  name: 'farm',
  in: 'path',
  required: true,
  description: 'The name of the farm in the fleet',
  schema: { type: 'string', pattern: farmName.source },
  example: 'meadow',
}

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
