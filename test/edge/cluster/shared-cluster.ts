/** A cluster that tests share, with farms whose acknowledged lines, keys and tags they check. */
import { afterAll, beforeAll, expect } from 'vitest'
import { eventually } from '../../wait.ts'
import { answeredWithin, askFleet, type Cluster, type ClusterFarm, farmOf, openCluster } from './cluster.ts'
import { ledger } from './ledger.ts'

/** Milliseconds until a farm is linked again, with the lease. */
export const linkedWithin = 45_000
interface SharedCluster {
  /** Of its first instance. */
  readonly env?: Readonly<Record<string, string>>
  readonly timeDivisor?: number
}

/** A cluster for the tests of a `describe`, or of a file. */
export function sharedCluster({ env = {}, ...options }: SharedCluster = {}) {
  let cluster: Cluster | undefined
  beforeAll(async () => {
    cluster = await openCluster(3, { ...options, envOf: (at) => (at === 0 ? env : {}) })
  })
  afterAll(() => cluster?.stop())
  const opened = () => cluster ?? expect.unreachable('no cluster')
  const edgeOf = (at: number) => opened().instances[at]?.edge ?? expect.unreachable(`instance ${at}`)
  const urlOf = (at: number) => edgeOf(at).url

  async function linkedFarm(name: string, at = 0): Promise<ClusterFarm> {
    // An instance starts again after some faults of an earlier test.
    for (const { edge } of opened().instances) await isReady(edge.url)
    const farm = await farmOf(opened(), name, at)
    await eventually(() => expect(farm.link.isOpen).toBe(true))
    await eventually(async () => expect((await farm.read(urlOf(at))).status).toBe(200))
    return farm
  }
  /** A linked farm with lines, keys and tags that are made all the time. */
  async function busyFarm(name: string) {
    const farm = await linkedFarm(name)
    const lines = talking(farm)
    const writes = ledger(opened(), [farm], 100)
    opened().atEnd(lines.stop)
    await eventually(() => expect(writes.acknowledged).toBeGreaterThan(8))
    return {
      farm,
      /** Checks all of them at an instance. */
      async check(url: string) {
        await lines.check(url)
        await writes.check(url)
      },
    }
  }
  /** The instance that has the object of a farm. */
  const ownerOf = (farm: string) =>
    opened().instances.findLastIndex(({ edge }) =>
      new RegExp(`"farm":"${farm}","generation":\\d+,"msg":"farm is linked"`).test(edge.output()),
    )
  /** An instance with too little processor time has lost its lease, and has dropped its sockets. */
  const hasLapsed = (at: number) => edgeOf(at).output().includes('leaving the cluster')
  return { cluster: opened, edgeOf, ownerOf, hasLapsed, urlOf, linkedFarm, busyFarm }
}

export const isReady = (url: string) =>
  eventually(async () => expect((await askFleet(url, 'GET', '/instance/ready')).status).toBe(200))

/** A chat client that has all stored lines. */
export async function listening({ listen }: ClusterFarm, url: string) {
  const client = listen(url)
  await client.stored
  return client
}

/** Says a line every 100 ms. */
function talking({ farm, listen }: ClusterFarm) {
  let said = 0
  const timer = setInterval(() => {
    said += 1
    farm.controls.say(7n, `line ${said}`)
  }, 100)
  const stop = () => clearInterval(timer)
  return {
    stop,
    /** Ends it, and checks that an instance has each line once, in order. */
    async check(url: string) {
      stop()
      await eventually(async () => {
        const client = listen(url)
        const stored = await client.stored.finally(client.close)
        expect(stored).toEqual(Array.from({ length: said }, (_, at) => `line ${at + 1}`))
      })
    },
  }
}

/** Reads a farm at an instance until it is there again. Every other answer must be 503 with `Retry-After`, in time. */
export async function backAt(farm: ClusterFarm, url: string): Promise<void> {
  await eventually(async () => {
    const { status, retryAfter, ms } = await farm.read(url)
    expect(ms).toBeLessThan(answeredWithin)
    if (status === 503) expect(retryAfter).toEqual(expect.any(String))
    else if (status !== 200) expect.unreachable(`${status}`)
    expect(status).toBe(200)
  })
}
