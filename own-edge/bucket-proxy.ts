/**
 * A proxy on loopback between workerd and the bucket of its cluster. workerd takes each response of status 200 that has
 * an ETag for the bucket's: if another proxy in between answers with a page, workerd acknowledges a write that is lost.
 * Here the connection ends without such a response, and workerd asks the bucket again.
 */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  type AgentOptions,
  createServer,
  type IncomingMessage,
  Agent as PlainAgent,
  request as plainRequest,
  type ServerResponse,
} from 'node:http'
import { Agent as TlsAgent, request as tlsRequest } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { pipeline } from 'node:stream'
import { createSecureContext } from 'node:tls'
import { AwsV4Signer } from 'aws4fetch'
import { isOfBucket } from '../lib/bucket-answer.ts'
import type { Clock } from '../lib/clock.ts'
import type { Environment } from '../lib/environment.ts'
import { causeOfError } from '../lib/failure-cause.ts'
import { headerPairs } from '../lib/header-pairs.ts'
import { hexDigestOf } from '../lib/keys.ts'
import type { Log } from '../lib/log.ts'
import { onceAMinute } from '../lib/once-a-minute.ts'
import { knownAuthorities } from './authorities.ts'

/** Where the bucket is. */
export interface BucketPlace {
  readonly endpoint: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

interface ProxyParts {
  /** Of this process; see `knownAuthorities`. */
  readonly env: Environment
  readonly clock: Pick<Clock, 'monotonic'>
  readonly log: Log
}

/** A connection of workerd, with its own one to the bucket: when one of them ends, so does the other. */
interface ProxiedConnection {
  readonly agent: PlainAgent
  readonly onward: WeakSet<Socket>
  response: ServerResponse | undefined
}

/** Headers of one connection (RFC 9110 section 7.6.1). */
const hopByHop: ReadonlySet<string> = new Set(['connection', 'keep-alive', 'transfer-encoding'])

/**
 * @returns the variables in which workerd finds the bucket: an endpoint on loopback, and a key for it that no one else has
 * @throws when a file of authorities cannot be read
 */
export async function openBucketProxy(
  { endpoint, region, accessKeyId, secretAccessKey }: BucketPlace,
  { env, clock: { monotonic }, log }: ProxyParts,
) {
  const ownId = randomBytes(32).toString('hex')
  const ownDigest = hexDigestOf(ownId)
  const isTls = endpoint.startsWith('https:')
  const open = isTls ? tlsRequest : plainRequest
  const newAgent = (options: AgentOptions) => (isTls ? new TlsAgent(options) : new PlainAgent(options))
  const kept = {
    keepAlive: true,
    maxSockets: 1,
    ...(isTls && { secureContext: createSecureContext({ ca: knownAuthorities(env) }) }),
  }
  const cache = new Map<string, ArrayBuffer>()
  const connections = new WeakMap<Socket, ProxiedConnection>()
  const unreachable = onceAMinute(
    (cause: string) => log.warn({ cause }, 'the bucket is unreachable'),
    monotonic,
  )
  const foreign = onceAMinute(
    (type: string) => log.error({ type }, 'EDGE_BUCKET: a proxy on the way responds in place of the bucket'),
    monotonic,
  )

  /** The headers that differ from those of workerd. Any other can change on the way, so it is not signed. */
  async function signature(url: URL, method: string, headers: IncomingMessage['headers']) {
    const datetime = String(headers['x-amz-date'])
    const signed = Object.fromEntries(
      Object.entries(headers).flatMap(([name, text]) =>
        name.startsWith('x-amz-') ? [[name, String(text)]] : [],
      ),
    )
    const key = { accessKeyId, secretAccessKey, region, service: 's3', cache }
    const signer = new AwsV4Signer({ ...key, url: url.href, method, headers: signed, datetime })
    return { host: url.host, authorization: await signer.authHeader() }
  }

  async function pass(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    from: ProxiedConnection,
  ): Promise<void> {
    const { method = '', headers, socket } = incoming
    const [, sentId = ''] = /Credential=([^/]+)\//.exec(headers.authorization ?? '') ?? []
    if (hexDigestOf(sentId) !== ownDigest) {
      outgoing.writeHead(403).end()
      return
    }
    const url = new URL(`${endpoint.replace(/\/$/, '')}${incoming.url}`)
    const signed = await signature(url, method, headers)
    // workerd has ended meanwhile.
    if (outgoing.destroyed) return
    const asked = open(url, { method, agent: from.agent, headers: { ...headers, ...signed } })
    asked.on('socket', (onward) => {
      if (from.onward.has(onward)) return
      from.onward.add(onward)
      onward.once('close', () => {
        if (from.response === undefined || from.response.writableFinished) socket.destroy()
        else from.response.once('finish', () => socket.end())
      })
    })
    asked.on('error', (error) => {
      if (!outgoing.destroyed) unreachable(causeOfError(error).words)
      socket.destroy()
    })
    asked.on('response', (answer) => {
      if (outgoing.destroyed) return void asked.destroy()
      const { statusCode = 502, rawHeaders } = answer
      const call = method === 'GET' && url.searchParams.has('list-type') ? 'LIST' : method
      if (!isOfBucket(call, statusCode, answer.headers)) {
        foreign(`${statusCode} ${answer.headers['content-type'] ?? ''}`.slice(0, 64))
        socket.destroy()
        return
      }
      const sent: string[] = []
      for (const [name, text] of headerPairs(rawHeaders))
        if (!hopByHop.has(name.toLowerCase())) sent.push(name, text)
      // The bucket does not read the rest of the request, so this connection carries no other.
      if (!incoming.complete) sent.push('Connection', 'close')
      outgoing.writeHead(statusCode, sent)
      pipeline(answer, outgoing, (error) => error && socket.destroy())
    })
    outgoing.on('close', () => outgoing.writableFinished || asked.destroy())
    incoming.pipe(asked)
  }

  // Only workerd and the bucket know how long a request takes, and how long they keep a connection.
  const server = createServer({ keepAliveTimeout: 0, requestTimeout: 0 }, (incoming, outgoing) => {
    const from = connections.get(incoming.socket)
    if (from === undefined) return
    from.response = outgoing
    void pass(incoming, outgoing, from)
  })
  server.on('connection', (socket) => {
    const agent = newAgent(kept)
    connections.set(socket, { agent, onward: new WeakSet(), response: undefined })
    socket.on('close', () => agent.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    env: {
      AWS_ENDPOINT_URL: `http://127.0.0.1:${port}`,
      AWS_REGION: region,
      AWS_ACCESS_KEY_ID: ownId,
      AWS_SECRET_ACCESS_KEY: ownId,
    },
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
