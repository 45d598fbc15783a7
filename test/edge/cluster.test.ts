/** Three instances of `npm run edge:serve` with one bucket, and what they survive. Leases are shorter than usual. */
import { expect, onTestFinished, test } from 'vitest'
import { canRun } from '../left-out.ts'
import { sharedFolder } from '../new-folder.ts'
import { eventually, pause } from '../wait.ts'
import { answeredWithin, askFleet, openCluster, shortLease } from './cluster/cluster.ts'
import { movableClock } from './cluster/movable-clock.ts'
import { backAt, isReady, linkedWithin, listening, sharedCluster } from './cluster/shared-cluster.ts'
import { workerdOf } from './own-edge.ts'

const clock = movableClock(sharedFolder())

const { cluster, edgeOf, ownerOf, urlOf, hasLapsed, linkedFarm, busyFarm } = sharedCluster({ env: clock.env })

// Nothing acknowledged is lost, clients get 503 with Retry-After meanwhile, and the farm is linked again:

test('every instance serves every farm: made at one, linked to it, listed and read at the others', async () => {
  const clover = await linkedFarm('clover')
  for (const { url } of cluster().instances) {
    expect((await fetch(`${url}/instance/ready`)).status).toBe(200)
    expect((await askFleet(url, 'GET', '/farms')).json).toMatchObject({ farms: [{ farm: 'clover' }] })
    expect(await clover.read(url)).toMatchObject({ status: 200 })
  }
})

test('nothing acknowledged is lost when one is killed, and a farm that does not come back is listed as not linked', async () => {
  const { farm, check } = await busyFarm('killed')
  const daisy = await linkedFarm('daisy')
  const client = await listening(farm, urlOf(1))
  const closing = daisy.link.close()
  edgeOf(0).launcher.kill('SIGKILL')
  await closing
  // Its instance has lost the owner of the farm.
  expect([hasLapsed(1) ? 1006 : 1012, 1012]).toContain(await client.closed)
  await eventually(() => expect(farm.link.isOpen).toBe(true), linkedWithin)
  await backAt(farm, urlOf(1))
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
})

test('nothing acknowledged is lost when one stands still past its lease: it writes nothing when it wakes, and starts again', async () => {
  const { farm, check } = await busyFarm('still')
  const owner = ownerOf('still')
  const other = (owner + 1) % 3
  const client = await listening(farm, urlOf(other))
  const workerd = workerdOf(edgeOf(owner))
  const slow = await linkedFarm('slow')
  slow.farm.controls.fallSilent()
  const path = '/farms/slow/time?value=1200'
  const write = askFleet(urlOf(other), 'POST', path, undefined, slow.apiKey)
  // The owner has the write by then, and has given signs of life.
  await pause(4500)
  process.kill(workerd, 'SIGSTOP')
  const { status, json, ms } = await write
  expect([status, json]).toEqual([504, expect.objectContaining({ code: 'game_timeout' })])
  expect(ms).toBeLessThan(answeredWithin)
  await backAt(farm, urlOf(other))
  process.kill(workerd, 'SIGCONT')
  await eventually(() => expect(edgeOf(owner).output()).toContain('workerd has ended; it starts again'))
  expect([hasLapsed(other) ? 1006 : 1012, 1012]).toContain(await client.closed)
  await backAt(farm, urlOf(owner))
  await check(urlOf(owner))
})

test.runIf(canRun('an instance whose clock jumps', clock.problem))(
  'nothing acknowledged is lost when the clock of one is set back by a lease: it ends until the clock is right',
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

test('nothing acknowledged is lost when the bucket answers 500 and 503, stalls, or loses its answers to writes for a while', async () => {
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
})

test('nothing acknowledged is lost when a proxy answers writes to the bucket with 200, an ETag and its own page for a while, and the instance that made them is killed', async () => {
  const { farm, check } = await busyFarm('page')
  const owner = ownerOf('page')
  const other = (owner + 1) % 3
  const { bucket } = cluster()
  const before = bucket.faults
  bucket.fault('page')
  await eventually(() => expect(bucket.faults).toBeGreaterThan(before + 1))
  await pause(2000)
  process.kill(workerdOf(edgeOf(owner)), 'SIGKILL')
  bucket.fault('none')
  await backAt(farm, urlOf(other))
  await check(urlOf(other))
})

test('nothing acknowledged is lost when the bucket is unreachable for longer than a lease: no instance needs a person to serve again', async () => {
  const { farm, check } = await busyFarm('outage')
  const ended = () =>
    cluster().instances.map(({ edge }) => edge.output().split('workerd has ended; it starts again').length)
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
})

test.each(['the right', 'the wrong'])(
  'while two instances have different EDGE_CLUSTER_KEYs neither is ready, whether %s one starts first, and both name the variable within 25 s; they are ready once the key is right',
  { timeout: 240_000 },
  async (order) => {
    let isWrong = false
    const EDGE_CLUSTER_KEY = 'another-key-of-the-cluster-of-32-bytes'
    const own = await openCluster(2, { envOf: (at) => (at === 1 && isWrong ? { EDGE_CLUSTER_KEY } : {}) })
    onTestFinished(() => own.stop())
    const urlAt = (at: number) => own.instances[at]?.url ?? ''
    const ready = async (at: number) => (await fetch(`${urlAt(at)}/ready`)).status
    const said = (at: number) => own.instances[at]?.edge.output() ?? ''
    await Promise.all([isReady(urlAt(0)), isReady(urlAt(1))])
    expect(said(0) + said(1)).not.toContain('EDGE_CLUSTER_KEY')
    // A change of the key at a restart; the right one restarts too when it is not to be the first.
    await own.instances[1]?.edge.stop()
    isWrong = true
    if (order === 'the right') {
      // The other one has asked again since.
      await pause(6000)
      await own.restart(1)
    } else {
      await own.instances[0]?.edge.stop()
      await own.restart(1)
      await isReady(urlAt(1))
      await own.restart(0)
    }
    await eventually(() => {
      for (const at of [0, 1]) expect(said(at)).toMatch(/EDGE_CLUSTER_KEY (differs|may differ): /)
    }, 25_000)
    expect([await ready(0), await ready(1)]).toEqual([503, 503])
    await own.instances[1]?.edge.stop()
    isWrong = false
    await isReady(urlAt(0))
    await own.restart(1)
    await isReady(urlAt(1))
    expect([await ready(0), await ready(1)]).toEqual([200, 200])
  },
)
