/** Every variable of `npm run edge:serve` (docs/configuration.md): its own, and those of the Worker. */
import ipaddr from 'ipaddr.js'
import * as v from 'valibot'
import { clientKey, httpAddress, logFormat, wholeNumber } from '../lib/values.ts'
import { variables as worker } from '../runtime/edge/variables.ts'

const key = v.pipe(
  v.string(),
  v.regex(/^[\x21-\x7e]+$/, 'may hold only visible ASCII characters, without blanks'),
)

/** A host and a port; IPv6 in brackets. */
const hostAndPort = (minPort: number, example: string) => {
  const words = `use a host and a port from ${minPort} to 65535, such as ${example}`
  return v.pipe(
    v.string(),
    v.regex(/^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):[0-9]{1,5}$/, words),
    v.transform((text) => {
      const colon = text.lastIndexOf(':')
      return { text, host: text.slice(0, colon).replace(/^\[|\]$/g, ''), port: Number(text.slice(colon + 1)) }
    }),
    v.check(({ port }) => port >= minPort && port <= 65_535, words),
  )
}

/** Traffic between instances is not encrypted. */
const isPublic = (host: string) => ipaddr.isValid(host) && ipaddr.process(host).range() === 'unicast'

const minClusterKey = 32

export const variables = {
  schema: v.object({
    ...worker.schema.entries,
    API_KEY: v.optional(clientKey),
    LINK_KEY: v.optional(clientKey),
    FLEET_KEY: v.optional(clientKey),
    LOG_FORMAT: v.optional(logFormat),
    TRUST_PROXY: v.optional(wholeNumber(0, 16), '0'),
    EDGE_LISTEN: v.optional(hostAndPort(0, '127.0.0.1:8787'), '127.0.0.1:8787'),
    EDGE_STATE_DIR: v.optional(v.string(), './edge-state'),
    EDGE_BUCKET: v.optional(
      v.pipe(v.string(), v.regex(/^s3:\/\/[A-Za-z0-9._-]+(\/[A-Za-z0-9._/-]*)?$/, 'use s3://bucket/prefix')),
    ),
    EDGE_BUCKET_ENDPOINT: v.optional(httpAddress),
    EDGE_BUCKET_REGION: v.optional(
      v.pipe(v.string(), v.regex(/^[a-z0-9-]{1,64}$/, 'use a region such as eu-central-1')),
    ),
    EDGE_BUCKET_ACCESS_KEY_ID: v.optional(key),
    EDGE_BUCKET_SECRET_ACCESS_KEY: v.optional(key),
    EDGE_CLUSTER_ADDRESS: v.optional(
      v.pipe(
        hostAndPort(1, '10.0.0.5:7000'),
        v.check(
          ({ host }) => !isPublic(host),
          'is a public address, and the instances do not encrypt what they send; use one of a private network',
        ),
        v.check(
          ({ host }) => !/^[0:.]+$/.test(host),
          'must be the address at which the others reach this one',
        ),
      ),
    ),
    EDGE_CLUSTER_KEY: v.optional(
      v.pipe(
        key,
        v.minLength(
          minClusterKey,
          `is shorter than ${minClusterKey} bytes; use the output of openssl rand -hex 32 on all instances`,
        ),
      ),
    ),
  }),
  traits: {
    ...worker.traits,
    API_KEY: { secret: true, file: true },
    LINK_KEY: { secret: true, file: true },
    FLEET_KEY: { secret: true, file: true },
    EDGE_BUCKET_ENDPOINT: { secret: true },
    EDGE_BUCKET_ACCESS_KEY_ID: { secret: true },
    EDGE_BUCKET_SECRET_ACCESS_KEY: { secret: true, file: true },
    EDGE_CLUSTER_KEY: { secret: true, file: true },
  },
} as const
