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
const service = v.object({
  image: v.string(),
  environment: v.record(v.string(), v.pipe(v.unknown(), v.transform(String))),
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
  for (const shared of ['bucket', 'key', 'env', 'isPlain'] as const)
    expect(new Set(configs.map((cluster) => JSON.stringify(cluster?.[shared]))).size).toBe(1)
})

test('an instance has time to hand its farms over before its container is killed', () => {
  for (const [, { stop_grace_period }] of instances) expect(stop_grace_period).toBe('15s')
})

test('the image copies only files that its build context has', () => {
  const ignored = readText('deploy/edge/Dockerfile.dockerignore').split('\n')
  const copied = [...readText('deploy/edge/Dockerfile').matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(
    ([, names = '']) => names.split(' '),
  )
  expect(copied).toContain('wrangler.toml')
  for (const name of copied)
    expect(ignored.some((line) => line === `!${name}` || line === `!${name}/**`)).toBe(true)
})
