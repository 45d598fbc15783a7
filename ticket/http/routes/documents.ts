/** What describes the service itself: OpenAPI, and a page of it for people. */
import { version } from '../../../lib/version.ts'
import type { Route } from './route.ts'

/** All routes, which these two are among. */
type Routes = () => readonly Route[]

const open = { method: 'GET', open: true, anyAccount: true } as const

export function openApi(routes: Routes): Route {
  let document: object | undefined
  return {
    ...open,
    paths: ['/openapi.json'],
    summary: 'This service as an OpenAPI 3.1 document',
    example: { openapi: '3.1.0' },
    handle() {
      document ??= documentOf(routes())
      return { status: 200, body: document }
    },
  }
}

export function docs(routes: Routes): Route {
  let page: string | undefined
  return {
    ...open,
    paths: ['/docs'],
    summary: 'This service as a page',
    example: '<!doctype html>',
    handle() {
      page ??= pageOf(routes())
      return { status: 200, body: page, headers: pageHeaders }
    },
  }
}

const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
}

/** The statuses of errors that any call can have, with and without a body. */
const errors: Readonly<Record<number, string>> = {
  401: 'The key is missing or wrong',
  403: 'Without TICKET_KEY this caller is not served',
  404: 'Not found',
  405: 'The path does not support this method',
  409: 'The service is not in the state that this needs',
  414: 'The URL is too long',
  429: 'Too many requests',
  431: 'The headers are too large',
  500: 'A bug; the log says what',
  502: 'Steam refused the request',
  503: 'Not logged in to Steam',
  504: 'Steam did not answer in time',
}
const bodyErrors: Readonly<Record<number, string>> = {
  400: 'The body is wrong',
  413: 'The body is too large',
  415: 'The body must be application/json',
}

function content(example: object | string) {
  if (typeof example === 'object') return { 'application/json': { schema: { type: 'object' }, example } }
  const type = example.startsWith('<') ? 'text/html' : 'text/plain'
  return { [type]: { schema: { type: 'string' }, example } }
}

/** What a caller sends to be let in. */
const security = ({ open }: Route): object => (open === true ? {} : { [open ?? 'key']: [] })

const error = { $ref: '#/components/schemas/Error' }

const operation = (route: Route, path: string) => {
  const problems = Object.entries({ ...errors, ...(route.sent !== undefined && bodyErrors) }).filter(
    ([status]) => status !== String(route.status),
  )
  return {
    operationId: [route.method.toLowerCase(), ...path.split(/[/-]/).filter(Boolean)].join('_'),
    summary: route.summary,
    security: [security(route)],
    ...(route.sent !== undefined && { requestBody: { required: true, content: content(route.sent) } }),
    responses: {
      [route.status ?? 200]: { description: route.summary, content: content(route.example) },
      ...Object.fromEntries(
        problems.map(([status, description]) => [
          status,
          { description, content: { 'application/json': { schema: error } } },
        ]),
      ),
    },
  }
}

function documentOf(routes: readonly Route[]): object {
  const paths: Record<string, Record<string, object>> = {}
  for (const route of routes)
    for (const path of route.paths)
      paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, path) }
  return {
    openapi: '3.1.0',
    info: {
      title: 'farmgate ticket service',
      version,
      description:
        'The key (TICKET_KEY) can also be the first segment of any path. Ids in requests are JSON numbers or texts of 64 bits.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    paths,
    components: {
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer', description: 'The value of TICKET_KEY' },
        setup: { type: 'http', scheme: 'setup', description: 'The code of the link in the log' },
      },
      schemas: {
        Error: {
          type: 'object',
          required: ['error', 'code'],
          properties: { error: { type: 'string' }, code: { type: 'string' } },
        },
      },
    },
  }
}

/** All of its texts are those of the routes, which have no character that HTML reads. */
function pageOf(routes: readonly Route[]): string {
  const rows = routes.flatMap(({ method, paths, summary, open: isOpen }) =>
    paths.map(
      (path) =>
        `<tr><td><code>${method} ${path}</code></td><td>${summary}${isOpen === undefined ? '' : ' (no key)'}</td></tr>`,
    ),
  )
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>farmgate ticket service</title>
<h1>farmgate ticket service</h1>
<p>Send <code>Authorization: Bearer &lt;TICKET_KEY&gt;</code>. Programs read <a href="openapi.json">openapi.json</a>.</p>
<table>
${rows.join('\n')}
</table>
</html>
`
}
