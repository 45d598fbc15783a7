/** deploy/compose/edge.yaml: three instances with a bucket server. */

import * as v from 'valibot'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { readOwnEdge } from '../../own-edge/config.ts'
import { readText } from '../compose.ts'

const given: Readonly<Record<string, string>> = {
  FLEET_KEY: 'fleet-key-0123456789',
  EDGE_CLUSTER_KEY: 'a-key-of-the-cluster-of-32-bytes-or-more',
  EDGE_BUCKET_SECRET_ACCESS_KEY: 'secret-0123456789',
}
const text = readText('deploy/compose/edge.yaml').replaceAll(
  /\$\{(\w+)(?::-([^}]*)|:\?[^}]*)\}/g,
  (_, name: string, other = '') => given[name] ?? other,
)
const dockerfile = readText('deploy/edge/Dockerfile')
const service = v.object({
  image: v.string(),
  environment: v.record(v.string(), v.pipe(v.unknown(), v.transform(String))),
  ports: v.optional(v.array(v.string()), []),
  volumes: v.array(v.string()),
  depends_on: v.optional(v.record(v.string(), v.unknown())),
  entrypoint: v.optional(v.string()),
  healthcheck: v.optional(v.object({ test: v.array(v.string()) })),
  stop_grace_period: v.optional(v.string()),
})
const { services } = v.parse(
  v.object({ services: v.record(v.string(), service) }),
  parse(text, { merge: true }),
)
const instances = Object.entries(services).filter(([, { image }]) => image === 'farmgate-edge')

test('every instance accepts its environment, and has an address of its own in the same cluster', () => {
  const configs = instances.map(([name, { environment }]) => {
    const reading = readOwnEdge(environment, () => expect.unreachable('no file is named'))
    const config = 'config' in reading ? reading.config : expect.unreachable(JSON.stringify(reading))
    expect([name, config.cluster?.address.host, config.proxies]).toEqual([name, name, 1])
    return config.cluster
  })
  expect(configs).toHaveLength(3)
  for (const shared of ['bucket', 'key', 'place'] as const)
    expect(new Set(configs.map((cluster) => JSON.stringify(cluster?.[shared]))).size).toBe(1)
})

test('the bucket server is the one that the instances use, and they wait until it is ready', () => {
  const [, { environment }] = instances[0] ?? expect.unreachable()
  const { hostname } = new URL(environment['EDGE_BUCKET_ENDPOINT'] ?? '')
  const bucket = services[hostname] ?? expect.unreachable(hostname)
  const [, name] = /^s3:\/\/(\w+)\//.exec(environment['EDGE_BUCKET'] ?? '') ?? []
  expect(bucket.entrypoint).toContain(`mkdir -p /data/${name} `)
  expect(bucket.environment).toEqual({
    MINIO_ROOT_USER: environment['EDGE_BUCKET_ACCESS_KEY_ID'],
    MINIO_ROOT_PASSWORD: environment['EDGE_BUCKET_SECRET_ACCESS_KEY'],
  })
  expect(bucket.healthcheck?.test).not.toEqual([])
  for (const [, { depends_on }] of instances)
    expect(depends_on).toEqual({ [hostname]: { condition: 'service_healthy' } })
})

test('an instance is published on a port of its own on loopback, checked where it listens, and keeps its state in a volume', () => {
  const [, port = '', state = ''] = /EDGE_LISTEN=0\.0\.0\.0:(\d+) EDGE_STATE_DIR=(\S+)/.exec(dockerfile) ?? []
  expect(dockerfile).toContain(`fetch('http://127.0.0.1:${port}/instance/ready'`)
  for (const [, { ports, volumes }] of instances) {
    expect(ports).toEqual([expect.stringMatching(`^127.0.0.1:\\d+:${port}$`)])
    expect(volumes).toEqual([expect.stringMatching(`^\\w+:${state}$`)])
  }
  for (const own of ['ports', 'volumes'] as const)
    expect(new Set(instances.flatMap(([, one]) => one[own])).size).toBe(3)
})

test('an instance has time to hand its farms over before its container is killed', () => {
  for (const [, { stop_grace_period }] of instances) expect(stop_grace_period).toBe('15s')
})

test('the image copies only files that its build context has', () => {
  const ignored = readText('deploy/edge/Dockerfile.dockerignore').split('\n')
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, names = '']) =>
    names.split(' '),
  )
  expect(copied).toContain('wrangler.toml')
  for (const name of copied)
    expect(ignored.some((line) => line === `!${name}` || line === `!${name}/**`)).toBe(true)
})
