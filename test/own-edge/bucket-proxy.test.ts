/** The proxy between workerd and the bucket of its cluster. */
import { cpSync, mkdirSync, symlinkSync } from 'node:fs'
import { Agent, createServer, type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { connect } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openBucketProxy } from '../../own-edge/bucket-proxy.ts'
import { s3Store } from '../../services/backups/s3-store.ts'
import { certificate, trust } from '../certificate.ts'
import { type LogLine, recorder } from '../logs.ts'
import { newFolder } from '../new-folder.ts'
import { portOf, unusedPort } from '../port-of.ts'
import { s3Key, startS3Server } from '../s3-server.ts'
import { all } from '../services/backups/storage.ts'

async function proxyTo(endpoint: string, env: Readonly<Record<string, string>> = {}) {
  const lines: LogLine[] = []
  const time = { now: 0 }
  const parts = { env, clock: { monotonic: () => time.now }, log: recorder(lines) }
  const proxy = await openBucketProxy({ endpoint, region: 'us-east-1', ...s3Key }, parts)
  onTestFinished(() => proxy.close())
  return { url: proxy.env.AWS_ENDPOINT_URL, id: proxy.env.AWS_ACCESS_KEY_ID, lines, time }
}
type Proxy = Awaited<ReturnType<typeof proxyTo>>

/** A request as workerd sends it, with the parts of the signature that the proxy reads. @returns status, or why there is none */
function ask(
  { url, id }: Pick<Proxy, 'url' | 'id'>,
  method: string,
  path: string,
  agent?: Agent,
  body: string | Buffer = 'content',
) {
  const headers = { authorization: `AWS4-HMAC-SHA256 Credential=${id}/20261128/us-east-1/s3/aws4_request` }
  const amz = { 'x-amz-date': '20261128T120000Z', 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' }
  return new Promise<number | string>((resolve) => {
    const asked = request(`${url}${path}`, { method, agent, headers: { ...headers, ...amz } })
    asked.on('response', (answer) => answer.resume().on('end', () => resolve(answer.statusCode ?? 0)))
    asked.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    asked.end(method === 'PUT' || method === 'POST' ? body : undefined)
  })
}

/** @param method of HTTP, or `LIST` */
const askAs = (proxy: Proxy, method: string) =>
  method === 'LIST' ? ask(proxy, 'GET', '/farms?list-type=2') : ask(proxy, method, '/farms/one')

/** A bucket, or what is in its place, that answers each request like this. */
async function inPlaceOfBucket(status: number, headers: OutgoingHttpHeaders, body: string) {
  const length = [204, 304].includes(status) ? {} : { 'content-length': Buffer.byteLength(body) }
  const server = createServer((incoming, response) =>
    incoming.resume().on('end', () => response.writeHead(status, { ...headers, ...length }).end(body)),
  )
  return proxyTo(`http://127.0.0.1:${await portOf(server)}`)
}
const [tag, xml, html] = [
  { etag: '"5f7b2c-264"' },
  { 'content-type': 'application/xml' },
  { 'content-type': 'text/html' },
]

test('a request is signed again for the host and with the key of the bucket, and its bytes arrive as they are', async () => {
  const server = await startS3Server()
  onTestFinished(() => server.stop())
  const { url, id } = await proxyTo(server.url.replace(/\/farm$/, ''))
  const own = { url: `${url}/farm/春 (2)`, accessKeyId: id, secretAccessKey: id }
  const store = s3Store(own, { now: Date.now })
  const sent = Buffer.alloc(300_000, 'farm')
  const never = new AbortController().signal
  const content = async function* () {
    yield sent
  }
  await store.write('a+b c.sqlite', sent.length, content(), never)
  expect((await all(store.read('a+b c.sqlite', sent.length, never))).equals(sent)).toBe(true)
  await store.remove('a+b c.sqlite', never)
})

test('no one without the key that workerd has gets to the bucket', async () => {
  const { url, lines } = await inPlaceOfBucket(200, tag, '')
  for (const id of [s3Key.accessKeyId, '', '0'.repeat(64)])
    expect(await ask({ url, id }, 'PUT', '/farms/one')).toBe(403)
  expect(lines).toEqual([])
})

test.each([
  ['PUT', 200, tag, ''],
  ['PUT', 200, { ...tag, ...html }, ''],
  ['PUT', 412, xml, '<Error/>'],
  ['DELETE', 204, {}, ''],
  ['POST', 200, xml, '<InitiateMultipartUploadResult/>'],
  ['GET', 200, { ...tag, 'content-type': 'application/octet-stream' }, 'content'],
  ['GET', 206, tag, 'tent'],
  ['GET', 304, tag, ''],
  ['GET', 404, xml, '<Error/>'],
  ['LIST', 200, xml, '<ListBucketResult/>'],
])('an answer of a bucket is passed on: %s %i %o', async (method, status, headers, body) => {
  const proxy = await inPlaceOfBucket(status, headers, body)
  expect(await askAs(proxy, method)).toBe(status)
  expect(proxy.lines).toEqual([])
})

test.each([
  ['PUT', 200, { ...tag, ...html }, '<title>Welcome</title>'],
  ['PUT', 200, { ...tag, 'content-type': 'application/json' }, '{}'],
  ['PUT', 200, tag, 'Welcome'],
  ['PUT', 200, { etag: 'W/"5f7b2c-264"' }, ''],
  ['PUT', 200, {}, ''],
  ['PUT', 204, tag, ''],
  ['PUT', 503, html, '<title>Busy</title>'],
  ['PUT', 404, html, '<title>Not found</title>'],
  ['DELETE', 200, html, '<title>Welcome</title>'],
  ['POST', 200, tag, 'Welcome'],
  ['GET', 404, html, '<title>Not found</title>'],
  ['LIST', 200, tag, 'Welcome'],
])(
  'an answer that has not the status, type and ETag of a bucket is lost, and the log says so once a minute: %s %i %o',
  async (method, status, headers, body) => {
    const proxy = await inPlaceOfBucket(status, headers, body)
    const line = { level: 'error', message: expect.stringContaining('EDGE_BUCKET: ') }
    for (const [at, times] of [
      [0, 1],
      [59_999, 1],
      [60_000, 2],
    ] as const) {
      proxy.time.now = at
      expect(await askAs(proxy, method)).toBe('ECONNRESET')
      expect(proxy.lines).toMatchObject(Array(times).fill(line))
    }
  },
)

test('a bucket that cannot be reached is in the log, and has no answer', async () => {
  const proxy = await proxyTo(`http://127.0.0.1:${await unusedPort()}`)
  expect(await ask(proxy, 'PUT', '/farms/one')).toBe('ECONNRESET')
  expect(proxy.lines).toMatchObject([
    { fields: { cause: 'connection refused' }, message: 'the bucket is unreachable' },
  ])
})

test('a connection that the bucket closes is closed to workerd too, so that no write is sent on it', async () => {
  const connections: IncomingMessage['socket'][] = []
  const server = createServer({ keepAliveTimeout: 0 }, ({ socket }, response) => {
    connections.push(socket)
    response.writeHead(200, tag).end()
  })
  const proxy = await proxyTo(`http://127.0.0.1:${await portOf(server)}`)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  for (let times = 0; times < 3; times += 1) expect(await ask(proxy, 'GET', '/farms/one', agent)).toBe(200)
  expect(new Set(connections).size).toBe(1)
  const [[own] = []] = Object.values(agent.freeSockets)
  const ended = new Promise((done) => own?.on('close', done))
  connections[0]?.end()
  await ended
  expect(await ask(proxy, 'GET', '/farms/one', agent)).toBe(200)
  expect(new Set(connections).size).toBe(2)
})

test('a request whose sender ends at any moment ends nothing else', async () => {
  const proxy = await inPlaceOfBucket(200, tag, 'content')
  const { port } = new URL(proxy.url)
  const head = `GET /farms/one HTTP/1.1\r\nHost: a\r\nAuthorization: Credential=${proxy.id}/\r\nx-amz-date: 20261128T120000Z\r\n\r\n`
  const leave = (at: number) =>
    new Promise((ended) => {
      const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined)
      const leaves = () => (at % 2 === 0 ? socket.destroy() : socket.resetAndDestroy())
      // The signature takes less than a millisecond.
      socket.on('close', ended).write(head, () => (at < 100 ? leaves() : setTimeout(leaves, at % 20)))
    })
  await Promise.all(Array.from({ length: 200 }, (_, at) => leave(at)))
  expect(await ask(proxy, 'GET', '/farms/one')).toBe(200)
})

test('a bucket that answers before it has the whole request holds up no later one', async () => {
  let isBusy = true
  const server = createServer((incoming, response) => {
    if (isBusy) response.writeHead(503, { 'content-length': 0 }).end()
    else incoming.resume().on('end', () => response.writeHead(200, { ...tag, 'content-length': 0 }).end())
  })
  const proxy = await proxyTo(`http://127.0.0.1:${await portOf(server)}`)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  for (let times = 0; times < 5; times += 1)
    expect(await ask(proxy, 'PUT', '/farms/one', agent, Buffer.alloc(4_000_000))).toBeOneOf([
      503,
      'ECONNRESET',
      'EPIPE',
    ])
  isBusy = false
  expect(await ask(proxy, 'PUT', '/farms/one', agent, Buffer.alloc(4_000_000))).toBe(200)
})

test('with https the certificate of the bucket is checked against the authorities that the operator or this machine names', async () => {
  const { cert, key, file } = await certificate()
  const server = createTlsServer({ cert, key }, (_, response) => response.writeHead(200, tag).end())
  const endpoint = `https://localhost:${await portOf(server)}`
  const folder = newFolder()
  cpSync(file, join(folder, 'own.pem'))
  mkdirSync(join(folder, 'legacy'))
  symlinkSync('gone.pem', join(folder, 'dangling.pem'))
  for (const env of [{ SSL_CERT_FILE: file }, { SSL_CERT_DIR: folder }])
    expect(await ask(await proxyTo(endpoint, env), 'GET', '/farms/one')).toBe(200)
  await expect(proxyTo(endpoint, { SSL_CERT_FILE: join(folder, 'gone.pem') })).rejects.toThrow(
    /^SSL_CERT_FILE: ENOENT/,
  )
  const untrusting = await proxyTo(endpoint)
  expect(await ask(untrusting, 'GET', '/farms/one')).toBe('ECONNRESET')
  expect(untrusting.lines).toMatchObject([{ fields: { cause: expect.stringContaining('certificate') } }])
  trust({ cert })
  expect(await ask(await proxyTo(endpoint), 'GET', '/farms/one')).toBe(200)
})
