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
import { crowdOf } from './cluster/crowd.ts'
import { ledger } from './cluster/ledger.ts'
import { movableClock } from './cluster/movable-clock.ts'
import { workerdOf } from './own-edge.ts'

/** Milliseconds until a farm is linked again, with the lease. */
const linkedWithin = 45_000
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
  eventually(async () => expect((await askFleet(url, 'GET', '/ready')).status).toBe(200))

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
      const slow = await linkedFarm('slow')
      slow.farm.controls.fallSilent()
      const path = '/farms/slow/time?value=1200'
      const write = askFleet(urlOf(1), 'POST', path, undefined, slow.apiKey)
      // The owner has the write by then, and has given signs of life.
      await pause(4500)
      process.kill(workerd, 'SIGSTOP')
      const { status, json, ms } = await write
      expect([status, json]).toEqual([504, expect.objectContaining({ code: 'game_timeout' })])
      expect(ms).toBeLessThan(10_500)
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
    'nothing acknowledged is lost when the bucket is unreachable for longer than a lease: no instance needs a person to serve again',
    inTurn,
    async () => {
      const { farm, check } = await busyFarm('outage')
      const ended = () =>
        cluster().instances.map(
          ({ edge }) => edge.output().split('workerd has ended; it starts again').length,
        )
      const before = ended()
      cluster().bucket.fault('errors')
      // Each has lost its lease, and has failed to start again.
      await eventually(() => expect(ended().filter((times, at) => times < (before[at] ?? 0) + 2)).toEqual([]))
      cluster().bucket.fault('none')
      for (const at of [0, 1, 2]) {
        await isReady(urlOf(at))
        await backAt(farm, urlOf(at))
        expect(farm.link.isOpen).toBe(true)
      }
      await check(urlOf(1))
    },
  )

  test(
    'nothing acknowledged of 50 farms is lost when each is replaced in turn: its 500 chat clients get a clean close or 503 with Retry-After, and all farms are linked again within 45 s',
    inTurn,
    async () => {
      const busy = await busyFarm('replaced')
      const farms = [busy.farm]
      while (farms.length < 50)
        farms.push(
          ...(await Promise.all(
            [0, 1, 2, 3, 4, 5, 6].map((one) => linkedFarm(`farm-${farms.length + one}`, one % 3)),
          )),
        )
      const others = farms.slice(1)
      const crowd = crowdOf(cluster(), farms, 10)
      cluster().atEnd(crowd.close)
      const said: string[] = []
      const say = (line: string) => {
        said.push(line)
        for (const { farm } of others) farm.controls.say(7n, line)
      }
      say('before')
      await crowd.haveAll(others, said)
      for (const at of [0, 1, 2]) {
        const before = crowd.endings.length
        const { launcher } = edgeOf(at)
        const exited = once(launcher, 'exit', { signal: AbortSignal.timeout(10_000) })
        launcher.kill('SIGTERM')
        await eventually(async () => expect((await fetch(`${urlOf(at)}/ready`)).status).toBe(503))
        say(`while ${at} hands its farms over`)
        expect(await exited).toEqual([0, null])
        await eventually(() => expect(farms.filter(({ link }) => !link.isOpen)).toEqual([]), linkedWithin)
        await cluster().restart(at)
        await crowd.haveAll(others, said)
        for (const { wasOpen, how, at: where } of crowd.endings.slice(before))
          if (wasOpen) expect(how).toBe('1012 The edge is restarting')
          // The instance that ends answers no more, also not what it was asked through the others.
          else if (how !== '503 with Retry-After' && !['ECONNRESET', 'socket hang up'].includes(how))
            expect([where, how]).toEqual([at, 'ECONNREFUSED'])
      }
      for (const [at, farm] of farms.entries()) await backAt(farm, urlOf(at % 3))
      await busy.check(urlOf(1))
    },
  )
})
