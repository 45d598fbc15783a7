/** For comparison: a server that makes the same checks with Hono's own middleware. */
import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { bearerAuth } from 'hono/bearer-auth'
import { bodyLimit } from 'hono/body-limit'
import { requestId } from 'hono/request-id'
import { secureHeaders } from 'hono/secure-headers'
import { serveSubject } from '../measure.ts'

const [token = '', body = ''] = process.argv.slice(2)
const app = new Hono()
app.use(requestId(), secureHeaders(), bodyLimit({ maxSize: 16_384 }), bearerAuth({ token }))
app.get('/players', (c) =>
  c.body(body, 200, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' }),
)
const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, () =>
  serveSubject({ port: () => (server.address() as AddressInfo).port }),
)
