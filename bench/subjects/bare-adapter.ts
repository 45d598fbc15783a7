/** For comparison: `@hono/node-server` alone, without an app, which sends the same bytes. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { serveSubject } from '../measure.ts'

const [headers = '{}', body = ''] = process.argv.slice(2)
const sent = JSON.parse(headers)
const listener = getRequestListener(async () => new Response(body, { headers: sent }))
const server = createServer({ keepAliveTimeout: 65_000 }, listener)
server.listen(0, '127.0.0.1', () => serveSubject({ port: () => (server.address() as AddressInfo).port }))
