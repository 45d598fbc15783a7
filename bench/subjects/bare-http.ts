/** For comparison: a bare `node:http` server that sends the same bytes and does nothing else. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serveSubject } from '../measure.ts'

const [headers = '{}', body = ''] = process.argv.slice(2)
const sent = JSON.parse(headers)
const bytes = body
const server = createServer({ keepAliveTimeout: 65_000 }, (_request, response) => {
  response.writeHead(200, sent)
  response.end(bytes)
})
server.listen(0, '127.0.0.1', () => serveSubject({ port: () => (server.address() as AddressInfo).port }))
