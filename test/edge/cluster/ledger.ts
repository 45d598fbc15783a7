/** What the fleet's API has acknowledged while instances end: it must all be there afterwards. */
import * as v from 'valibot'
import { expect } from 'vitest'
import { pause } from '../../wait.ts'
import { askFleet, type Cluster } from './cluster.ts'

const created = v.object({ farm: v.string(), apiKey: v.string() })
const list = v.object({ farms: v.array(v.object({ farm: v.string(), tags: v.array(v.string()) })) })

/** Makes farms and gives them tags through all instances in turn, until it is stopped. */
export function ledger({ instances }: Cluster, prefix: string) {
  const keys = new Map<string, string>()
  const tags = new Map<string, number>()
  const failures: Awaited<ReturnType<typeof askFleet>>[] = []
  let isStopped = false
  const run = async () => {
    for (let count = 0; !isStopped; count += 1) {
      const url = instances[count % instances.length]?.url ?? ''
      const name = `${prefix}-${count}`
      const put = await askFleet(url, 'PUT', `/farms/${name}`)
      const made = v.safeParse(created, put.json)
      if (put.status === 201 && made.success) keys.set(name, made.output.apiKey)
      else failures.push(put)
      const [tagged] = [...keys.keys()].slice(-1)
      if (tagged === undefined) continue
      const patch = await askFleet(url, 'PATCH', `/farms/${tagged}`, { tags: [`t${count}`] })
      if (patch.status === 200) tags.set(tagged, count)
      else failures.push(patch)
      await pause(50)
    }
  }
  const running = run()
  return {
    /** Ends it, and checks every acknowledged write at an instance. */
    async check(url: string): Promise<void> {
      isStopped = true
      await running
      const { json } = await askFleet(url, 'GET', '/farms')
      const farms = new Map(v.parse(list, json).farms.map((one) => [one.farm, one.tags]))
      for (const name of keys.keys()) expect([name, farms.has(name)]).toEqual([name, true])
      // A later one that was not acknowledged may be there instead.
      for (const [name, count] of tags)
        expect(Number(farms.get(name)?.[0]?.slice(1))).toBeGreaterThanOrEqual(count)
      for (const [name, key] of keys) {
        const headers = { Authorization: `Bearer ${key}` }
        // An offline farm answers its own key with 503, and any other with 401.
        expect([name, (await fetch(`${url}/farms/${name}/players`, { headers })).status]).toEqual([name, 503])
      }
      // A refused connection to an ended instance has no status.
      for (const { status, retryAfter, ms } of failures) {
        expect([0, 503]).toContain(status)
        if (status === 503) expect([retryAfter, ms < 10_500]).toEqual([expect.any(String), true])
      }
    },
    get acknowledged() {
      return keys.size + tags.size
    },
  }
}
