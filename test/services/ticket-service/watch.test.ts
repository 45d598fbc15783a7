/** The ticket service in the metrics and the log. */
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Registry } from 'prom-client'
import { expect, onTestFinished, test } from 'vitest'
import type { Log } from '../../../lib/log.ts'
import { watchTicketService } from '../../../services/ticket-service/watch.ts'

const well: RequestListener = (_request, response) =>
  response.end('{"status":"ok","logged_in":true,"token_days_remaining":199}')

/** A watched service on loopback with a changeable answer. */
async function watched(listener: RequestListener = well) {
  let answer = listener
  const service = createServer((request, response) => answer(request, response))
  const listen = (port: number) => new Promise<void>((resolve) => service.listen(port, '127.0.0.1', resolve))
  await listen(0)
  const { port } = service.address() as AddressInfo
  const stop = () =>
    new Promise<void>((resolve) => {
      service.close(() => resolve())
      service.closeAllConnections()
    })
  onTestFinished(stop)
  const registry = new Registry()
  const logged: unknown[] = []
  const level = (name: keyof Log) => (fields: object, message: string) =>
    void logged.push({ level: name, ...fields, message })
  const watch = watchTicketService({
    url: `http://127.0.0.1:${port}/secret-key`,
    registry,
    log: { debug: level('debug'), info: level('info'), warn: level('warn'), error: level('error') },
    monotonic: () => performance.now(),
  })
  return {
    watch,
    address: `127.0.0.1:${port}`,
    logged,
    /** One reading of the metrics. */
    metrics: async () =>
      Object.fromEntries(
        [...(await registry.metrics()).matchAll(/^farmgate_ticket_service_(\w+) (\S+)$/gm)].map(
          ([, name, value]) => [name, Number(value)],
        ),
      ),
    answerWith: (next: RequestListener) => {
      answer = next
    },
    stop,
    start: () => listen(port),
  }
}

test('an answer of a megabyte is not read, whatever it says', async () => {
  const { metrics, answerWith } = await watched()
  answerWith((_request, response) => response.end(`{"logged_in":true}${' '.repeat(1024 ** 2)}`))
  expect(await metrics()).toMatchObject({ available: 0 })
})

test('the metrics show whether the ticket service answers, is signed in, and how long its token lasts', async () => {
  const { metrics, stop, logged } = await watched()
  expect(await metrics()).toEqual({ available: 1, logged_in: 1, token_days_remaining: 199 })
  expect(logged).toEqual([])
  await stop()
  expect(await metrics()).toEqual({ available: 0, logged_in: 0, token_days_remaining: -1 })
})

test('an expired token has no days left, in the metrics and for the fleet; it is not unknown', async () => {
  const { watch, metrics } = await watched((_request, response) =>
    response.end('{"status":"ok","logged_in":true,"token_days_remaining":-3}'),
  )
  expect(await metrics()).toMatchObject({ token_days_remaining: 0 })
  expect(await watch.state()).toMatchObject({ token_days_remaining: 0 })
})

test('an outage of the ticket service is one log line with address and cause but without its key, and one when it ends', async () => {
  const { metrics, stop, start, logged, address } = await watched()
  await metrics()
  await stop()
  await metrics()
  await metrics()
  await start()
  await metrics()
  expect(logged).toEqual([
    {
      level: 'warn',
      address,
      cause: 'connection_refused',
      message: 'the ticket service is unreachable: connection refused',
    },
    { level: 'info', address, offlineSeconds: expect.any(Number), message: 'the ticket service is back' },
  ])
  expect(JSON.stringify(logged)).not.toContain('secret-key')
})

test.each<[string, RequestListener, string]>([
  ['no answer', () => undefined, 'no answer within 1 s'],
  [
    'another API',
    (_request, response) => response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>No</h1>'),
    'what answers there is not its API (status 404, text/html)',
  ],
  [
    'a redirect',
    (_request, response) => response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end(),
    'what answers there is not its API (status 302, no content type)',
  ],
  ['a reset', (_request, response) => response.socket?.resetAndDestroy(), 'the connection was reset'],
])('the log names the cause: %s', async (_what, listener, words) => {
  const { metrics, logged } = await watched(listener)
  await metrics()
  expect(logged).toMatchObject([{ level: 'warn', message: `the ticket service is unreachable: ${words}` }])
})
