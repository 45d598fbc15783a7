/** Several instances of `npm run edge:serve` with one bucket, and what they survive. Leases are shorter than usual. */
import { once } from 'node:events'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openAuthenticated } from '../contract/chat-client.ts'
import { eventually, pause } from '../wait.ts'
import { askFleet, type Cluster, type ClusterFarm, farmOf, startCluster } from './cluster/cluster.ts'
import { ledger } from './cluster/ledger.ts'
import { workerdOf } from './own-edge.ts'

const urlOf = ({ instances }: Cluster, at: number) =>
  instances[at]?.url ?? expect.unreachable(`instance ${at}`)
const edgeOf = ({ instances }: Cluster, at: number) =>
  instances[at]?.edge ?? expect.unreachable(`instance ${at}`)

async function linkedFarm(cluster: Cluster, name: string, at = 0): Promise<ClusterFarm> {
  const farm = await farmOf(cluster, name, at)
  await eventually(() => expect(farm.link.isOpen).toBe(true))
  await eventually(async () => expect((await farm.get(urlOf(cluster, at))).status).toBe(200))
  return farm
}

/** Says a line every 100 ms. @returns stops, and checks that an instance has each line once, in order */
function talking({ farm, name, apiKey }: ClusterFarm) {
  let said = 0
  const timer = setInterval(() => {
    said += 1
    farm.controls.say(7n, `line ${said}`)
  }, 100)
  onTestFinished(() => clearInterval(timer))
  return async (url: string) => {
    clearInterval(timer)
    const server = { wsUrl: `${url.replace('http', 'ws')}/farms/${name}/ws`, key: apiKey }
    await eventually(async () => {
      const client = await openAuthenticated(server, { since: 0 })
      await client.settled()
      client.ws.close()
      const heard = client.messages('chat').map(({ payload }) => payload?.['message'])
      expect(heard).toEqual(Array.from({ length: said }, (_, at) => `line ${at + 1}`))
    })
  }
}

/** Reads a farm at an instance until it is there again. Every other answer must be 503 with `Retry-After`, in time. */
async function backAt(farm: ClusterFarm, url: string): Promise<void> {
  await eventually(async () => {
    const { status, retryAfter, ms } = await farm.get(url)
    expect(ms).toBeLessThan(10_500)
    if (status === 503) expect(retryAfter).toEqual(expect.any(String))
    else if (status !== 200) expect.unreachable(`${status}`)
    expect(status).toBe(200)
  })
}

test('every instance serves every farm: made at one, linked to it, listed and read at the others', async () => {
  const cluster = await startCluster()
  const clover = await linkedFarm(cluster, 'clover')
  for (const { url } of cluster.instances) {
    expect((await fetch(`${url}/ready`)).status).toBe(200)
    expect((await askFleet(url, 'GET', '/farms')).json).toMatchObject({ farms: [{ farm: 'clover' }] })
    expect(await clover.get(url)).toMatchObject({ status: 200 })
  }
})

describe('nothing acknowledged is lost, clients get 503 with Retry-After meanwhile, and the farm is linked again', () => {
  test('when an instance is killed', async () => {
    const cluster = await startCluster()
    const clover = await linkedFarm(cluster, 'clover')
    const lines = talking(clover)
    const writes = ledger(cluster, 'killed')
    await eventually(() => expect(writes.acknowledged).toBeGreaterThan(6))
    edgeOf(cluster, 0).launcher.kill('SIGKILL')
    await backAt(clover, urlOf(cluster, 1))
    expect(clover.link.isOpen).toBe(true)
    await lines(urlOf(cluster, 2))
    await cluster.restart(0)
    await writes.check(urlOf(cluster, 0))
  })

  test('when an instance is stopped: it hands its farms over, and is not ready meanwhile', async () => {
    const cluster = await startCluster()
    const clover = await linkedFarm(cluster, 'clover')
    const lines = talking(clover)
    const writes = ledger(cluster, 'stopped')
    await eventually(() => expect(writes.acknowledged).toBeGreaterThan(6))
    const { launcher } = edgeOf(cluster, 0)
    const exited = once(launcher, 'exit', { signal: AbortSignal.timeout(10_000) })
    launcher.kill('SIGTERM')
    await eventually(async () => expect((await fetch(`${urlOf(cluster, 0)}/ready`)).status).toBe(503))
    const [code] = await exited
    expect(code).toBe(0)
    await backAt(clover, urlOf(cluster, 1))
    await eventually(() => expect(clover.link.isOpen).toBe(true))
    await lines(urlOf(cluster, 2))
    await writes.check(urlOf(cluster, 1))
  })

  test('when an instance stands still past its lease: it writes nothing when it wakes, and starts again', async () => {
    const cluster = await startCluster()
    const clover = await linkedFarm(cluster, 'clover')
    const lines = talking(clover)
    const writes = ledger(cluster, 'still')
    await eventually(() => expect(writes.acknowledged).toBeGreaterThan(6))
    const workerd = workerdOf(edgeOf(cluster, 0))
    process.kill(workerd, 'SIGSTOP')
    await backAt(clover, urlOf(cluster, 1))
    process.kill(workerd, 'SIGCONT')
    await eventually(() =>
      expect(edgeOf(cluster, 0).output()).toContain('workerd has ended; it starts again'),
    )
    await backAt(clover, urlOf(cluster, 0))
    await lines(urlOf(cluster, 0))
    await writes.check(urlOf(cluster, 0))
  })

  test('when the bucket answers 500 or 503, stalls, or loses its answers to writes for a while', async () => {
    const cluster = await startCluster(2)
    const clover = await linkedFarm(cluster, 'clover')
    const lines = talking(clover)
    const writes = ledger(cluster, 'bucket')
    await eventually(() => expect(writes.acknowledged).toBeGreaterThan(6))
    for (const fault of [500, 503, 'stalls', 'lost'] as const) {
      const before = cluster.bucket.faults
      cluster.bucket.fault(fault)
      await eventually(() => expect(cluster.bucket.faults).toBeGreaterThan(before))
      await pause(2000)
      cluster.bucket.fault('none')
      await eventually(async () => expect((await clover.get(urlOf(cluster, 1))).status).toBe(200))
    }
    await lines(urlOf(cluster, 1))
    await writes.check(urlOf(cluster, 1))
  })

  test('when every instance is replaced in turn, with several farms and their chat clients', async () => {
    const cluster = await startCluster()
    const farms = await Promise.all([0, 1, 2].map((count) => linkedFarm(cluster, `farm-${count}`, count % 3)))
    const lines = farms.map(talking)
    const clients = await Promise.all(
      farms.flatMap(({ name, apiKey }) =>
        [0, 1].map((at) =>
          openAuthenticated({
            wsUrl: `${urlOf(cluster, at).replace('http', 'ws')}/farms/${name}/ws`,
            key: apiKey,
          }),
        ),
      ),
    )
    for (const at of [0, 1, 2]) {
      const { launcher } = edgeOf(cluster, at)
      launcher.kill('SIGTERM')
      await once(launcher, 'exit')
      await cluster.restart(at)
    }
    // Every instance has been replaced, and so was every connection.
    const closings = await Promise.all(clients.map(({ closed }) => closed))
    for (const { code } of closings) expect([1001, 1006, 1011, 1012]).toContain(code)
    for (const [at, farm] of farms.entries()) {
      await backAt(farm, urlOf(cluster, at % 3))
      await lines[at]?.(urlOf(cluster, (at + 1) % 3))
    }
  })
})

test('a farm that does not come back from an ended instance is listed as not linked', async () => {
  const cluster = await startCluster(2)
  const clover = await linkedFarm(cluster, 'clover')
  const listed = async () => (await askFleet(urlOf(cluster, 1), 'GET', '/farms')).json
  await eventually(async () => expect(await listed()).toMatchObject({ farms: [{ linked: true }] }))
  const closing = clover.link.close()
  edgeOf(cluster, 0).launcher.kill('SIGKILL')
  await closing
  await eventually(async () => expect(await listed()).toMatchObject({ farms: [{ linked: false }] }))
})
