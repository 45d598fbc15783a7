/**
 * Three instances of `npm run edge:serve` with one bucket, and what they survive. Leases are shorter than usual. Two such
 * clusters run at once, because most of the time passes in waiting.
 */
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { canRun } from '../left-out.ts'
import { sharedFolder } from '../new-folder.ts'
import { eventually, pause } from '../wait.ts'
import {
  askFleet,
  type Cluster,
  type ClusterFarm,
  farmOf,
  openCluster,
  shortLease,
} from './cluster/cluster.ts'
import { ledger } from './cluster/ledger.ts'
import { movableClock } from './cluster/movable-clock.ts'
import { workerdOf } from './own-edge.ts'

/** With the other tests of the `describe`. */
const inTurn = { concurrent: false }
const clock = movableClock(sharedFolder())

/** A cluster for the tests of a `describe`. @param env of its first instance */
function sharedCluster(env: Readonly<Record<string, string>> = {}) {
  let cluster: Cluster | undefined
  beforeAll(async () => {
    cluster = await openCluster(3, { envOf: (at) => (at === 0 ? env : {}) })
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
  return { cluster: opened, edgeOf, urlOf, linkedFarm, busyFarm }
}

const isReady = (url: string) =>
  eventually(async () => expect((await fetch(`${url}/ready`)).status).toBe(200))

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
async function backAt(farm: ClusterFarm, url: string): Promise<void> {
  await eventually(async () => {
    const { status, retryAfter, ms } = await farm.read(url)
    expect(ms).toBeLessThan(10_500)
    if (status === 503) expect(retryAfter).toEqual(expect.any(String))
    else if (status !== 200) expect.unreachable(`${status}`)
    expect(status).toBe(200)
  })
}

// Nothing acknowledged is lost, clients get 503 with Retry-After meanwhile, and the farm is linked again:
describe.concurrent('instances of which one ends or stands still', () => {
  const { cluster, edgeOf, urlOf, linkedFarm, busyFarm } = sharedCluster(clock.env)

  test(
    'every instance serves every farm: made at one, linked to it, listed and read at the others',
    inTurn,
    async () => {
      const clover = await linkedFarm('clover')
      for (const { url } of cluster().instances) {
        expect((await fetch(`${url}/ready`)).status).toBe(200)
        expect((await askFleet(url, 'GET', '/farms')).json).toMatchObject({ farms: [{ farm: 'clover' }] })
        expect(await clover.read(url)).toMatchObject({ status: 200 })
      }
    },
  )

  test(
    'nothing acknowledged is lost when one is killed, and a farm that does not come back is listed as not linked',
    inTurn,
    async () => {
      const { farm, check } = await busyFarm('killed')
      const daisy = await linkedFarm('daisy')
      const closing = daisy.link.close()
      edgeOf(0).launcher.kill('SIGKILL')
      await closing
      await backAt(farm, urlOf(1))
      expect(farm.link.isOpen).toBe(true)
      await cluster().restart(0)
      await check(urlOf(0))
      await eventually(async () =>
        expect((await askFleet(urlOf(1), 'GET', '/farms')).json).toMatchObject({
          farms: expect.arrayContaining([
            expect.objectContaining({ farm: 'daisy', linked: false }),
            expect.objectContaining({ farm: 'killed', linked: true }),
          ]),
        }),
      )
    },
  )

  test(
    'nothing acknowledged is lost when one stands still past its lease: it writes nothing when it wakes, and starts again',
    inTurn,
    async () => {
      const { farm, check } = await busyFarm('still')
      const workerd = workerdOf(edgeOf(0))
      process.kill(workerd, 'SIGSTOP')
      await backAt(farm, urlOf(1))
      process.kill(workerd, 'SIGCONT')
      await eventually(() => expect(edgeOf(0).output()).toContain('workerd has ended; it starts again'))
      await backAt(farm, urlOf(0))
      await check(urlOf(0))
    },
  )

  test.runIf(canRun('an instance whose clock jumps', clock.problem))(
    'nothing acknowledged is lost when the clock of one is set back by a lease: it ends until the clock is right',
    inTurn,
    async () => {
      const { farm, check } = await busyFarm('late')
      clock.set(-20 / shortLease)
      await eventually(() => expect(edgeOf(0).output()).toContain("clock off from the bucket's by"))
      await backAt(farm, urlOf(1))
      clock.set(0)
      await isReady(urlOf(0))
      await check(urlOf(0))
    },
  )
})

describe.concurrent('instances whose bucket fails, and that are replaced', () => {
  const { cluster, edgeOf, urlOf, linkedFarm, busyFarm } = sharedCluster()

  test(
    'nothing acknowledged is lost when the bucket answers 500 and 503, stalls, or loses its answers to writes for a while',
    inTurn,
    async () => {
      const { farm, check } = await busyFarm('bucket')
      const { bucket } = cluster()
      for (const fault of ['errors', 'stalls', 'lost'] as const) {
        const before = bucket.faults
        bucket.fault(fault)
        await eventually(() => expect(bucket.faults).toBeGreaterThan(before + 1))
        await pause(2000)
        bucket.fault('none')
        await eventually(async () => expect((await farm.read(urlOf(1))).status).toBe(200))
      }
      await check(urlOf(1))
    },
  )

  test(
    'nothing acknowledged is lost when each is replaced in turn: it hands its farms over, and is not ready meanwhile',
    inTurn,
    async () => {
      const busy = await busyFarm('replaced')
      const farms = [busy.farm, await linkedFarm('farm-1', 1), await linkedFarm('farm-2', 2)]
      const clients = farms.flatMap(({ listen }) => [0, 1].map((at) => listen(urlOf(at))))
      for (const { stored } of clients) await stored
      for (const at of [0, 1, 2]) {
        const { launcher } = edgeOf(at)
        const exited = once(launcher, 'exit', { signal: AbortSignal.timeout(10_000) })
        launcher.kill('SIGTERM')
        await eventually(async () => expect((await fetch(`${urlOf(at)}/ready`)).status).toBe(503))
        expect(await exited).toEqual([0, null])
        await cluster().restart(at)
      }
      // Every instance has been replaced, and so was every connection.
      for (const { closed } of clients) expect([1001, 1006, 1011, 1012]).toContain(await closed)
      for (const [at, farm] of farms.entries()) await backAt(farm, urlOf(at))
      await busy.check(urlOf(1))
    },
  )
})
