/** A bucket that cannot keep two instances from overwriting each other. */
import { expect, onTestFinished, test } from 'vitest'
import { unusedPort } from '../port-of.ts'
import { startBucket } from './cluster/bucket.ts'
import { fleetKey } from './edge-server.ts'
import { startOwnEdge } from './own-edge.ts'

test.each(['unconditional', 'unmet', 'ignored'] as const)(
  'a bucket whose conditional writes are %s is one sentence and exit 78, and no restart',
  async (fault) => {
    const bucket = await startBucket()
    onTestFinished(() => bucket.stop())
    bucket.fault(fault)
    const started = startOwnEdge({
      FLEET_KEY: fleetKey,
      EDGE_BUCKET: 's3://farms/edge',
      EDGE_BUCKET_ENDPOINT: bucket.endpoint,
      EDGE_BUCKET_ACCESS_KEY_ID: 'id',
      EDGE_BUCKET_SECRET_ACCESS_KEY: 'secret',
      EDGE_CLUSTER_ADDRESS: `127.0.0.1:${await unusedPort()}`,
      EDGE_CLUSTER_KEY: 'a-key-of-the-cluster-of-32-bytes-or-more',
    })
    const said = await started.then(
      (edge) => edge.stop().then(() => 'it runs'),
      (error: Error) => error.message,
    )
    expect(said).toMatch(/^exit 78: /)
    expect(said.match(/EDGE_BUCKET: the bucket does not carry out conditional writes/g)).toHaveLength(1)
    expect(said).not.toContain('it starts again')
  },
)
