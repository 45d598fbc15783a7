/** Instances of `npm run edge:serve` that share a bucket. */

import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as v from 'valibot'
import { expect } from 'vitest'
import { WebSocket } from 'ws'
import type { FarmLink } from '../../../bridges/linked/farm-end/dial.ts'
import type { SimulatedFarm } from '../../../bridges/simulated/simulated-farm.ts'
import { steeredFarm } from '../../bridges/simulated/steered-farm.ts'
import { listening } from '../../listening.ts'
import { memoryFarm } from '../../records/memory-records.ts'
import { eventually } from '../../wait.ts'
import { fleetKey, linkFarm } from '../edge-server.ts'
import { type OwnEdge, startOwnEdge } from '../own-edge.ts'
import { type Bucket, startBucket } from './bucket.ts'
import { type Network, openNetwork } from './network.ts'

/** A lease of 20 s lasts five. On a busy machine, instances with a shorter one lose it without any fault. */
export const shortLease = 4

/** Milliseconds: the ten seconds of the promise, and what a machine that does much else at once adds. */
export const answeredWithin = 20_000

interface Instance {
  readonly edge: OwnEdge
  readonly url: string
}

export interface Cluster {
  readonly bucket: Bucket
  readonly instances: readonly Instance[]
  /** The network through which the others reach an instance. */
  networkOf(at: number): Network
  /** Starts an instance again at its address, with its disk. */
  restart(at: number): Promise<void>
  /** Calls a function before the instances are stopped. */
  atEnd(act: () => unknown): void
  stop(): Promise<void>
}

export interface ClusterOptions {
  /** As of `startOwnEdge`. */
  readonly bundle?: string
  readonly timeDivisor?: number
  /** Whether the instances reach each other through a network that can be cut. */
  readonly hasNetwork?: boolean
  /** Environment variables of one instance. */
  envOf?(at: number): Readonly<Record<string, string>>
}

async function freePort(): Promise<number> {
  const server = createServer()
  const port = await listening(server)
  server.close()
  await once(server, 'close')
  return port
}

export async function openCluster(
  size: number,
  { timeDivisor = shortLease, hasNetwork = false, envOf, ...options }: ClusterOptions = {},
): Promise<Cluster> {
  const bucket = await startBucket()
  const folder = mkdtempSync(join(tmpdir(), 'farmgate-cluster-'))
  const places = await Promise.all(
    Array.from({ length: size }, async (_, at) => {
      const peers = await freePort()
      const network = hasNetwork ? await openNetwork(peers) : undefined
      return { at, port: await freePort(), peers, network, state: join(folder, String(at)) }
    }),
  )
  const ends: (() => unknown)[] = []
  const started: OwnEdge[] = []
  const start = async ({ at, port, peers, network, state }: (typeof places)[number]): Promise<Instance> => {
    const edge = await startOwnEdge(
      {
        FLEET_KEY: fleetKey,
        EDGE_LISTEN: `127.0.0.1:${port}`,
        EDGE_BUCKET: 's3://farms/edge',
        EDGE_BUCKET_ENDPOINT: bucket.endpoint,
        EDGE_BUCKET_ACCESS_KEY_ID: 'id',
        EDGE_BUCKET_SECRET_ACCESS_KEY: 'secret',
        EDGE_CLUSTER_ADDRESS: `127.0.0.1:${network?.port ?? peers}`,
        EDGE_CLUSTER_KEY: 'a-key-of-the-cluster-of-32-bytes-or-more',
        RATE_LIMIT_READS: '0',
        RATE_LIMIT_WRITES: '0',
        RATE_LIMIT_ANONYMOUS: '0',
        ...envOf?.(at),
      },
      { ...options, state, timeDivisor, ...(network !== undefined && { peers: `127.0.0.1:${peers}` }) },
    )
    started.push(edge)
    return { edge, url: edge.url }
  }
  const instances = await Promise.all(places.map(start))
  return {
    bucket,
    instances,
    networkOf: (at) => places[at]?.network ?? expect.unreachable(`no network of instance ${at}`),
    async restart(at) {
      const place = places[at]
      if (place === undefined) throw new Error(`there is no instance ${at}`)
      instances[at] = await start(place)
    },
    atEnd: (act) => ends.push(act),
    async stop() {
      for (const end of ends) await end()
      await Promise.all(started.map((edge) => edge.stop()))
      await bucket.stop()
      for (const { network } of places) network?.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A call of the fleet's API, or with a farm's key of its own; a failure to connect is status 0. */
export async function askFleet(url: string, method: string, path: string, body?: object, key = fleetKey) {
  const began = performance.now()
  let cause: string | undefined
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${key}`,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(60_000),
  }).catch((error: Error & { readonly cause?: { readonly code?: string } }) => {
    cause = error.cause?.code ?? error.name
    return undefined
  })
  const json: unknown = await answer?.json().catch(() => undefined)
  return {
    status: answer?.status ?? 0,
    retryAfter: answer?.headers.get('retry-after') ?? undefined,
    /** Why there is no answer. */
    cause,
    json,
    ms: performance.now() - began,
  }
}

const made = v.object({ apiKey: v.string(), linkKey: v.string() })

/** Makes a farm at an instance. @param url of the instance */
export const makeFarm = (url: string, name: string) =>
  eventually(async () => {
    const answer = await askFleet(url, 'PUT', `/farms/${name}`)
    // An earlier answer, with the keys, was lost.
    const wasMade = answer.status === 200
    return v.parse(
      made,
      wasMade ? (await askFleet(url, 'PUT', `/farms/${name}?rotate=all`)).json : answer.json,
    )
  })

export interface ClusterFarm {
  readonly name: string
  readonly apiKey: string
  readonly farm: SimulatedFarm
  readonly link: FarmLink
  /** `GET /farms/<name>/players` at an instance. */
  read(url: string): ReturnType<typeof askFleet>
  /** A chat client at an instance, that asks for all stored lines. */
  listen(url: string): ChatClient
}

interface ChatClient {
  /** The lines that were stored. @throws when the connection ends before it has all */
  readonly stored: Promise<readonly string[]>
  /** The code with which the connection ended. */
  readonly closed: Promise<number>
  close(): void
}

const message = v.object({
  type: v.string(),
  payload: v.optional(v.object({ message: v.optional(v.string()) })),
})

function chatClient(wsUrl: string, key: string): ChatClient {
  const ws = new WebSocket(wsUrl, { perMessageDeflate: false })
  const lines: string[] = []
  const stored = Promise.withResolvers<readonly string[]>()
  const closed = Promise.withResolvers<number>()
  stored.promise.catch(() => undefined)
  ws.on('open', () => ws.send(JSON.stringify({ type: 'auth', payload: { token: key, since: 0 } })))
  ws.on('message', (data) => {
    const { type, payload } = v.parse(message, JSON.parse(String(data)))
    // All stored lines come before the answer to what a client sends after its key.
    if (type === 'auth_success') ws.send('{"type":"ping"}')
    if (type === 'chat') lines.push(payload?.message ?? '')
    if (type === 'pong') stored.resolve(lines)
  })
  ws.on('error', stored.reject)
  ws.on('close', (code) => {
    stored.reject(new Error(`closed with ${code}`))
    closed.resolve(code)
  })
  return { stored: stored.promise, closed: closed.promise, close: () => ws.close() }
}

/** Makes a farm at an instance, and links it to all of them, that one first. */
export async function farmOf({ instances, atEnd }: Cluster, name: string, at = 0): Promise<ClusterFarm> {
  const urls = instances.map(({ url }) => `${url}/farms/${name}`)
  const { apiKey, linkKey } = await makeFarm(instances[at]?.url ?? '', name)
  const farm = steeredFarm()
  farm.controls.join({ id: 7n, name: 'Abby' })
  const { records, keys } = await memoryFarm()
  const link = linkFarm(farm, [...urls.slice(at), ...urls.slice(0, at)], linkKey, {
    records: records.of('edge'),
    keys,
  })
  atEnd(async () => {
    await link.close()
    await farm.close()
  })
  return {
    name,
    apiKey,
    farm,
    link,
    read: (url) => askFleet(url, 'GET', `/farms/${name}/players`, undefined, apiKey),
    listen: (url) => chatClient(`${url.replace('http', 'ws')}/farms/${name}/ws`, apiKey),
  }
}
