/** The environment of `npm run edge:serve`. */
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readOwnEdge } from '../../own-edge/config.ts'
import { newFolder } from '../new-folder.ts'

const farm = { API_KEY: 'api-key-0123456789', LINK_KEY: 'link-key-0123456789' }
const cluster = {
  EDGE_BUCKET: 's3://farms/edge',
  EDGE_BUCKET_ACCESS_KEY_ID: 'id',
  EDGE_BUCKET_SECRET_ACCESS_KEY: 'canary-secret',
  EDGE_CLUSTER_ADDRESS: '10.0.0.5:7000',
  EDGE_CLUSTER_KEY: 'canary-cluster-key-of-32-bytes-00',
}
const files: Readonly<Record<string, string>> = {
  '/run/key': 'key-of-a-file-0123456789\n',
  '/run/cluster': 'key-of-the-cluster-in-a-file-0123456789\n',
}
const read = (env: Readonly<Record<string, string>>) =>
  readOwnEdge(env, (path) => files[path] ?? expect.unreachable(path))
const configOf = (env: Readonly<Record<string, string>>) => {
  const reading = read(env)
  return 'config' in reading ? reading.config : expect.unreachable(JSON.stringify(reading))
}
const problems = (env: Readonly<Record<string, string>>) => {
  const reading = read(env)
  return 'problems' in reading ? reading.problems.map(({ variable }) => variable) : []
}

test('keys are all that it needs, each also from a file; the Worker gets its own variables only', () => {
  const { workerEnv, listen, proxies, objects, ...rest } = configOf({
    FLEET_KEY_FILE: '/run/key',
    HOME: '/root',
  })
  expect(workerEnv).toEqual({ FLEET_KEY: 'key-of-a-file-0123456789' })
  expect([listen.text, proxies, rest.cluster]).toEqual(['127.0.0.1:8787', 0, undefined])
  expect(objects).toBe(resolve('edge-state/objects'))
  expect(configOf({ ...farm, RATE_LIMIT_READS: '7' }).workerEnv).toEqual({ ...farm, RATE_LIMIT_READS: '7' })
})

test('the credentials of the bucket and the key of the cluster can come from files', () => {
  const { EDGE_BUCKET_SECRET_ACCESS_KEY: _, EDGE_CLUSTER_KEY: __, ...others } = cluster
  const found = configOf({
    ...farm,
    ...others,
    EDGE_BUCKET_SECRET_ACCESS_KEY_FILE: '/run/key',
    EDGE_CLUSTER_KEY_FILE: '/run/cluster',
    EDGE_BUCKET_REGION: 'eu-central-1',
  }).cluster
  expect(found).toMatchObject({
    key: 'key-of-the-cluster-in-a-file-0123456789',
    place: {
      endpoint: 'https://s3.eu-central-1.amazonaws.com',
      region: 'eu-central-1',
      accessKeyId: 'id',
      secretAccessKey: 'key-of-a-file-0123456789',
    },
  })
})

describe('a missing or contradictory variable is named', () => {
  test.each([
    [{}, ['API_KEY']],
    [{ API_KEY: farm.API_KEY }, ['LINK_KEY']],
    [{ LINK_KEY: farm.LINK_KEY, FLEET_KEY: 'fleet-key-0123456789' }, ['API_KEY']],
    [{ ...farm, EDGE_LISTEN: '8787' }, ['EDGE_LISTEN']],
    [{ ...farm, TRUST_PROXY: 'yes' }, ['TRUST_PROXY']],
    [{ ...farm, RATE_LIMIT_READS: 'many' }, ['RATE_LIMIT_READS']],
    [{ ...farm, EDGE_BUCKET: 'https://s3.example/farms' }, ['EDGE_BUCKET', ...Object.keys(cluster).slice(1)]],
    [{ ...farm, API_KEY: 'short' }, ['API_KEY']],
    [{ ...farm, ...cluster, EDGE_CLUSTER_KEY: 'short' }, ['EDGE_CLUSTER_KEY']],
    [{ ...farm, ...cluster, EDGE_CLUSTER_ADDRESS: '8.8.8.8:7000' }, ['EDGE_CLUSTER_ADDRESS']],
    [{ ...farm, ...cluster, EDGE_CLUSTER_ADDRESS: '0.0.0.0:7000' }, ['EDGE_CLUSTER_ADDRESS']],
    [{ ...farm, EDGE_CLUSTER_KEY: cluster.EDGE_CLUSTER_KEY }, ['EDGE_BUCKET']],
    [{ ...farm, EDGE_BUCKET_ENDPOINT: 'http://127.0.0.1:9000' }, ['EDGE_BUCKET']],
  ])('%o', (env, named) => expect(problems(env)).toEqual(named))

  test.each(Object.keys(cluster).slice(1))('%s is needed with EDGE_BUCKET', (name) => {
    expect(problems({ ...farm, ...cluster, [name]: '' })).toEqual([name])
  })

  test('no message has a secret', () => {
    const wrong = { EDGE_CLUSTER_KEY: 'canary', EDGE_BUCKET_SECRET_ACCESS_KEY: 'canary secret' }
    expect(JSON.stringify(read({ ...farm, ...cluster, ...wrong }))).not.toContain('canary')
  })
})

test('farms of a single instance do not become those of a cluster unnoticed, nor the other way round', () => {
  const [single, clustered] = [newFolder(), newFolder()]
  mkdirSync(join(single, 'objects'))
  mkdirSync(join(clustered, 'cluster'))
  expect(problems({ ...farm, EDGE_STATE_DIR: single })).toEqual([])
  expect(problems({ ...farm, ...cluster, EDGE_STATE_DIR: single })).toEqual(['EDGE_STATE_DIR'])
  expect(problems({ ...farm, ...cluster, EDGE_STATE_DIR: clustered })).toEqual([])
  expect(problems({ ...farm, EDGE_STATE_DIR: clustered })).toEqual(['EDGE_STATE_DIR'])
})
