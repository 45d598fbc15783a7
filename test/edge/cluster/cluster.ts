/** Instances of `npm run edge:serve` that share a bucket. */

import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import * as v from 'valibot'
import { onTestFinished } from 'vitest'
import type { FarmLink } from '../../../bridges/linked/dial.ts'
import type { SimulatedFarm } from '../../../bridges/simulated/simulated-farm.ts'
import { newFolder } from '../../new-folder.ts'
import { fleetKey, linkFarm, steeredFarm } from '../edge-server.ts'
import { type OwnEdge, startOwnEdge } from '../own-edge.ts'
import { type Bucket, startBucket } from './bucket.ts'

/** A lease of 20 s lasts five. On a busy machine, instances with a shorter one lose it without any fault. */
const timeDivisor = 4

interface Instance {
  readonly edge: OwnEdge
  readonly url: string
}

export interface Cluster {
  readonly bucket: Bucket
  readonly instances: readonly Instance[]
  /** Starts an instance again at its address, with its disk. */
  restart(at: number): Promise<void>
}

async function freePort(): Promise<number> {
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

export async function startCluster(size = 3): Promise<Cluster> {
  const bucket = await startBucket()
  onTestFinished(() => bucket.stop())
  const places = await Promise.all(
    Array.from({ length: size }, async () => ({
      port: await freePort(),
      peers: await freePort(),
      state: newFolder(),
    })),
  )
  const start = async ({ port, peers, state }: (typeof places)[number]): Promise<Instance> => {
    const edge = await startOwnEdge(
      {
        FLEET_KEY: fleetKey,
        EDGE_LISTEN: `127.0.0.1:${port}`,
        EDGE_BUCKET: 's3://farms/edge',
        EDGE_BUCKET_ENDPOINT: bucket.endpoint,
        EDGE_BUCKET_ACCESS_KEY_ID: 'id',
        EDGE_BUCKET_SECRET_ACCESS_KEY: 'secret',
        EDGE_CLUSTER_ADDRESS: `127.0.0.1:${peers}`,
        EDGE_CLUSTER_KEY: 'a-key-of-the-cluster-of-32-bytes-or-more',
        RATE_LIMIT_READS: '0',
        RATE_LIMIT_WRITES: '0',
        RATE_LIMIT_ANONYMOUS: '0',
      },
      { state, timeDivisor },
    )
    onTestFinished(() => edge.stop())
    return { edge, url: edge.url }
  }
  const instances = await Promise.all(places.map(start))
  return {
    bucket,
    instances,
    async restart(at) {
      const place = places[at]
      if (place === undefined) throw new Error(`there is no instance ${at}`)
      instances[at] = await start(place)
    },
  }
}

const fleet = { Authorization: `Bearer ${fleetKey}` }

/** A call of the fleet's API; a failure to connect is status 0. */
export async function askFleet(url: string, method: string, path: string, body?: object) {
  const began = performance.now()
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: { ...fleet, ...(body !== undefined && { 'Content-Type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }).catch(() => undefined)
  const json: unknown = await answer?.json().catch(() => undefined)
  return {
    status: answer?.status ?? 0,
    retryAfter: answer?.headers.get('retry-after') ?? undefined,
    json,
    ms: performance.now() - began,
  }
}

const made = v.object({ apiKey: v.string(), linkKey: v.string() })

export interface ClusterFarm {
  readonly name: string
  readonly apiKey: string
  readonly farm: SimulatedFarm
  readonly link: FarmLink
  /** Of `GET /farms/<name>/players`, at an instance. */
  get(url: string, path?: string): ReturnType<typeof askFleet>
}

/** Makes a farm at an instance, and links it to all of them in their order. */
export async function farmOf({ instances }: Cluster, name: string, at = 0): Promise<ClusterFarm> {
  const urls = instances.map(({ url }) => `${url}/farms/${name}`)
  const { json } = await askFleet(instances[at]?.url ?? '', 'PUT', `/farms/${name}`)
  const { apiKey, linkKey } = v.parse(made, json)
  const farm = steeredFarm()
  farm.controls.join({ id: 7n, name: 'Abby' })
  const link = linkFarm(farm, [...urls.slice(at), ...urls.slice(0, at)], linkKey)
  onTestFinished(async () => {
    await link.close()
    await farm.close()
  })
  return {
    name,
    apiKey,
    farm,
    link,
    async get(url, path = '/players') {
      const began = performance.now()
      const headers = { Authorization: `Bearer ${apiKey}` }
      const answer = await fetch(`${url}/farms/${name}${path}`, { headers }).catch(() => undefined)
      const json: unknown = await answer?.json().catch(() => undefined)
      const retryAfter = answer?.headers.get('retry-after') ?? undefined
      return { status: answer?.status ?? 0, retryAfter, json, ms: performance.now() - began }
    },
  }
}
