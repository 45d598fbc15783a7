/** What a cluster has acknowledged while its instances end: it must all be there afterwards. */
import * as v from 'valibot'
import { expect } from 'vitest'
import { pause } from '../../wait.ts'
import { answeredWithin, askFleet, type Cluster, type ClusterFarm } from './cluster.ts'

const madeFarm = v.object({ apiKey: v.string() })
const madeKey = v.object({ key: v.string() })
const farmList = v.object({ farms: v.array(v.object({ farm: v.string(), tags: v.array(v.string()) })) })
const keyList = v.object({ keys: v.array(v.object({ name: v.string() })) })

/**
 * Makes farms, and tags and named keys of linked farms, through all instances and for all farms in turn, until it is
 * checked. @param every milliseconds between two turns
 */
export function ledger(
  { instances }: Pick<Cluster, 'instances'>,
  linked: readonly Pick<ClusterFarm, 'name' | 'apiKey'>[],
  every: number,
) {
  const farms = new Map<string, string>()
  const named = linked.map(() => new Map<string, string>())
  const tagged = linked.map(() => 0)
  let acknowledged = 0
  let isStopped = false
  const failures: (Awaited<ReturnType<typeof askFleet>> & { readonly method: string })[] = []
  const done = async (status: number, ...asked: Parameters<typeof askFleet>): Promise<unknown> => {
    const answer = await askFleet(...asked)
    if (answer.status === status) {
      acknowledged += 1
      return answer.json
    }
    failures.push({ ...answer, method: asked[1] })
    return undefined
  }
  const run = async () => {
    for (let turn = 1; !isStopped; turn += 1) {
      const url = instances[turn % instances.length]?.url ?? ''
      const at = turn % linked.length
      const { name: farm = '', apiKey } = linked[at] ?? {}
      const made = await done(201, url, 'PUT', `/farms/${farm}-${turn}`)
      if (made !== undefined) farms.set(`${farm}-${turn}`, v.parse(madeFarm, made).apiKey)
      const tags = [`t${turn}`]
      if ((await done(200, url, 'PATCH', `/farms/${farm}`, { tags })) !== undefined) tagged[at] = turn
      const key = { name: `key ${turn}`, scopes: ['read'] }
      const kept = await done(201, url, 'POST', `/farms/${farm}/keys`, key, apiKey)
      if (kept !== undefined) named[at]?.set(key.name, v.parse(madeKey, kept).key)
      await pause(every)
    }
  }
  const running = run()
  return {
    /** Ends it, and checks every acknowledged write at an instance. */
    async check(url: string): Promise<void> {
      isStopped = true
      await running
      const list = v.parse(farmList, (await askFleet(url, 'GET', '/farms')).json).farms
      expect(list.map((one) => one.farm)).toEqual(expect.arrayContaining([...farms.keys()]))
      const statuses = (name: string, keys: Iterable<string>) =>
        Promise.all(
          [...keys].map(
            async (key) => (await askFleet(url, 'GET', `/farms/${name}/players`, undefined, key)).status,
          ),
        )
      for (const [at, { name: farm, apiKey }] of linked.entries()) {
        // A later one that was not acknowledged may be there instead.
        const [tag = 't0'] = list.find((one) => one.farm === farm)?.tags ?? []
        expect(Number(tag.slice(1))).toBeGreaterThanOrEqual(tagged[at] ?? 0)
        const { json } = await askFleet(url, 'GET', `/farms/${farm}/keys`, undefined, apiKey)
        const names = v.parse(keyList, json).keys.map(({ name }) => name)
        const keys = named[at] ?? new Map<string, string>()
        for (const name of keys.keys()) expect(names.filter((one) => one === name)).toEqual([name])
        expect((await statuses(farm, keys.values())).filter((status) => status !== 200)).toEqual([])
      }
      // An offline farm answers its own key with 503, and any other with 401.
      const offline = await Promise.all([...farms].map(([name, key]) => statuses(name, [key])))
      expect(offline.flat().filter((status) => status !== 503)).toEqual([])
      for (const { method, status, retryAfter, ms } of failures) {
        // A refused connection to an ended instance has no status. The outcome of a farm's own write can be unknown.
        expect([0, 503, ...(method === 'POST' ? [504] : [])]).toContain(status)
        if (status === 503) expect([retryAfter, ms < answeredWithin]).toEqual([expect.any(String), true])
      }
    },
    get acknowledged() {
      return acknowledged
    },
  }
}
