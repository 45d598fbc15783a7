/** Three instances of `npm run edge:serve` with one bucket, with many farms and clients, that are replaced in turn. */
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { eventually } from '../wait.ts'
import { crowdOf } from './cluster/crowd.ts'
import { backAt, linkedWithin, sharedCluster } from './cluster/shared-cluster.ts'

// Leases of ten seconds: so many clients that connect at once take the processor for a while.
const { cluster, edgeOf, urlOf, hasLapsed, linkedFarm, busyFarm } = sharedCluster({ timeDivisor: 2 })

test('nothing acknowledged of 50 farms is lost when each is replaced in turn: its 500 chat clients get a clean close or 503 with Retry-After, and all farms are linked again within 45 s', {
  timeout: 400_000,
}, async () => {
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
    await eventually(async () => expect((await fetch(`${urlOf(at)}/instance/ready`)).status).toBe(503))
    say(`while ${at} hands its farms over`)
    expect(await exited).toEqual([0, null])
    await eventually(() => expect(farms.filter(({ link }) => !link.isOpen)).toEqual([]), linkedWithin)
    await cluster().restart(at)
    await crowd.haveAll(others, said)
    for (const { wasOpen, how, at: where } of crowd.endings.slice(before))
      if (wasOpen) expect([hasLapsed(where) ? '1006' : '', '1012 The edge is restarting']).toContain(how)
      // The instance that ends answers no more, also not what it was asked through the others.
      else if (how !== '503 with Retry-After' && !['ECONNRESET', 'socket hang up'].includes(how))
        expect([where, how]).toEqual([at, 'ECONNREFUSED'])
  }
  for (const [at, farm] of farms.entries()) await backAt(farm, urlOf(at % 3))
  await busy.check(urlOf(1))
})
