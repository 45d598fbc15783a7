/** The OpenAPI 3.1 document of the control API, made from the endpoints' descriptors. */
import { endpoints } from '../../handlers/endpoints/all-endpoints.ts'
import { fleetEndpoints } from '../../handlers/endpoints/fleet-endpoints.ts'
import { scopeSentences, scopes } from '../../handlers/key-holder.ts'
import { version } from '../../lib/version.ts'
import { namedSchemas } from './json-schema.ts'
import { operation } from './operation.ts'
import { otherPaths } from './other-paths.ts'
import { errorSchema } from './problem-responses.ts'

/** @param root the absolute URL of the API, without a slash at its end */
export function openApi(root: string): object {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const endpoint of [...endpoints, ...fleetEndpoints]) {
    const item = paths[endpoint.path] ?? {}
    item[endpoint.method.toLowerCase()] = operation(endpoint)
    paths[endpoint.path] = item
  }
  for (const { path, method, ...described } of otherPaths) paths[path] = { [method]: described }
  return {
    openapi: '3.1.0',
    info: {
      title: 'farmgate control API',
      version,
      summary: 'Watch and steer a dedicated Stardew Valley server',
      description: [
        'Send `Authorization: Bearer <key>`: API_KEY, or a named key that has the scope of the call. Player ids are 64-bit integers: read them with a parser that keeps every digit, or read the text next to each (`id` and `idText`).',
        'A page where a person has signed in sends the cookie of the session with its secret in place of a key: the header `Farmgate-Session`, from `POST /sign-in/session`.',
        'The chat relay is a WebSocket at `/ws`, described in `asyncapi.json`.',
      ].join('\n\n'),
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: root }],
    security: [{ key: [] }],
    tags: [
      ...[...new Set(endpoints.map(({ tag }) => tag))].map((name) => ({ name })),
      { name: 'Fleet', description: 'Only at the root of an edge that has FLEET_KEY' },
    ],
    paths,
    components: {
      securitySchemes: {
        key: {
          type: 'http',
          scheme: 'bearer',
          description: [
            'The value of API_KEY, or a named key that has the scope. What each scope allows:',
            ...scopes.map((scope) => `- \`${scope}\`: ${scopeSentences[scope]}`),
          ].join('\n'),
        },
        fleetKey: { type: 'http', scheme: 'bearer', description: 'The value of FLEET_KEY of the edge' },
      },
      schemas: { ...namedSchemas(), Error: errorSchema },
    },
  }
}
