/** Reads the environment of `npm run edge:serve`, and reports every mistake in it together. */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type * as v from 'valibot'
import { type Environment, type EnvironmentProblem, readEnvironment } from '../lib/environment.ts'
import { variables as worker } from '../runtime/edge/variables.ts'
import type { BucketPlace } from './bucket-proxy.ts'
import { variables } from './variables.ts'

type Values = v.InferOutput<typeof variables.schema>
type Address = Values['EDGE_LISTEN']

/** This instance's part in a cluster. */
interface Cluster {
  /** `s3://bucket/prefix` */
  readonly bucket: string
  /** Where the other instances reach this one. */
  readonly address: Address
  readonly key: string
  readonly place: BucketPlace
}

export interface OwnEdgeConfig {
  readonly listen: Address
  readonly proxies: number
  /** The folder of the objects of this instance; absolute. */
  readonly objects: string
  /** The Worker's own variables that are set, as texts. */
  readonly workerEnv: Readonly<Record<string, string>>
  readonly cluster: Cluster | undefined
  readonly log: Pick<Values, 'LOG_LEVEL' | 'LOG_FORMAT'>
}

export type OwnEdgeReading =
  | { readonly config: OwnEdgeConfig }
  | { readonly problems: readonly EnvironmentProblem[] }

/** Needed by, and only for, an instance of a cluster. */
const neededByBucket = [
  'EDGE_BUCKET_ACCESS_KEY_ID',
  'EDGE_BUCKET_SECRET_ACCESS_KEY',
  'EDGE_CLUSTER_ADDRESS',
  'EDGE_CLUSTER_KEY',
] as const
const onlyWithBucket = [...neededByBucket, 'EDGE_BUCKET_ENDPOINT', 'EDGE_BUCKET_REGION'] as const

/** @param readFile throws when the file cannot be read */
export function readOwnEdge(env: Environment, readFile: (path: string) => string): OwnEdgeReading {
  const { values, problems, foundAs, text } = readEnvironment(variables, env, readFile)
  const isSet = (name: keyof Values) => foundAs(name) !== undefined
  const report = (variable: string, problem: string) => problems.push({ variable, problem })

  if (!isSet('API_KEY') && !isSet('FLEET_KEY'))
    report('API_KEY', 'is not set: set API_KEY and LINK_KEY for one farm, or FLEET_KEY for several')
  if (isSet('API_KEY') && !isSet('LINK_KEY'))
    report('LINK_KEY', 'is not set, but the farm of API_KEY needs it to connect')
  if (isSet('LINK_KEY') && !isSet('API_KEY'))
    report('API_KEY', `is not set, but ${foundAs('LINK_KEY')} is; set both or neither`)
  for (const name of neededByBucket)
    if (isSet('EDGE_BUCKET') && !isSet(name)) report(name, 'is not set, but EDGE_BUCKET needs it')
  for (const name of onlyWithBucket)
    if (isSet(name) && !isSet('EDGE_BUCKET'))
      report('EDGE_BUCKET', `is not set, but ${foundAs(name)} is, which is for several instances only`)
  const state = resolve(text('EDGE_STATE_DIR') ?? 'edge-state')
  const [single, clustered] = [join(state, 'objects'), join(state, 'cluster')]
  if (isSet('EDGE_BUCKET') && existsSync(single))
    report(
      'EDGE_STATE_DIR',
      'has the farms of a single instance, which do not move to a bucket; use another folder',
    )
  if (!isSet('EDGE_BUCKET') && existsSync(clustered))
    report('EDGE_STATE_DIR', 'is that of an instance with EDGE_BUCKET; set it again, or use another folder')

  if (values === undefined || problems.length > 0) return { problems }
  const { EDGE_BUCKET: bucket, EDGE_CLUSTER_ADDRESS: address, EDGE_CLUSTER_KEY: key } = values
  const region = values.EDGE_BUCKET_REGION ?? 'us-east-1'
  return {
    config: {
      listen: values.EDGE_LISTEN,
      proxies: values.TRUST_PROXY,
      objects: bucket === undefined ? single : clustered,
      workerEnv: Object.fromEntries(
        Object.keys(worker.schema.entries).flatMap((name) => {
          const value = isWorkerVariable(name) ? text(name) : undefined
          return value === undefined ? [] : [[name, value]]
        }),
      ),
      cluster:
        bucket === undefined || address === undefined || key === undefined
          ? undefined
          : {
              bucket,
              address,
              key,
              place: {
                endpoint: values.EDGE_BUCKET_ENDPOINT ?? `https://s3.${region}.amazonaws.com`,
                region,
                accessKeyId: values.EDGE_BUCKET_ACCESS_KEY_ID ?? '',
                secretAccessKey: values.EDGE_BUCKET_SECRET_ACCESS_KEY ?? '',
              },
            },
      log: values,
    },
  }
}

const isWorkerVariable = (name: string): name is keyof typeof worker.schema.entries =>
  Object.hasOwn(worker.schema.entries, name)
