/** Two instances of `npm run edge:serve` between which the network holds what was sent, and passes it on later. */
import { expect, onTestFinished, test } from 'vitest'
import { lateAfter } from '../../services/fleet/change-order.ts'
import { askFleet, openCluster } from './cluster/cluster.ts'
import { isReady } from './cluster/shared-cluster.ts'

test('a change that a partition holds for more than 9 s is answered 503, is repeated at another instance, and is not carried out when the network heals', async () => {
  const cluster = await openCluster(2, { hasNetwork: true })
  onTestFinished(() => cluster.stop())
  const [near = '', far = ''] = cluster.instances.map(({ url }) => url)
  await isReady(near)
  await isReady(far)
  // The first to ask has the fleet, and then its farms.
  const keys = new Map<string, string>()
  const make = async (name: string) => {
    const { status, json } = await askFleet(near, 'PUT', `/farms/${name}`)
    expect([name, status]).toEqual([name, 201])
    keys.set(name, Object(json).apiKey)
  }
  for (const name of ['put', 'delete', 'patch', 'action']) await make(name)
  expect(await askFleet(far, 'GET', '/farms')).toMatchObject({ status: 200 })

  const change = {
    put: (url: string) => askFleet(url, 'PUT', '/farms/put?rotate=api'),
    delete: (url: string) => askFleet(url, 'DELETE', '/farms/delete'),
    patch: (url: string, note: string) => askFleet(url, 'PATCH', '/farms/patch', { note }),
    act: (url: string) => askFleet(url, 'POST', '/farms/actions', { action: 'backup', farms: ['action'] }),
  }
  const network = cluster.networkOf(0)
  network.hold()
  const held = [change.put(far), change.delete(far), change.patch(far, 'late'), change.act(far)]
  const [put, gone, patched, acted] = await Promise.all(held)
  for (const answer of [put, gone, patched]) {
    expect(answer).toMatchObject({ status: 503, retryAfter: expect.any(String) })
    expect(answer?.ms).toBeGreaterThan(lateAfter - 100)
  }
  // It would begin a second time, so nothing says "repeat it".
  expect(acted).toMatchObject({ status: 504, json: { code: 'game_timeout' } })

  const acknowledged = await change.put(near)
  expect(acknowledged.status).toBe(200)
  keys.set('put', Object(acknowledged.json).apiKey)
  expect((await change.delete(near)).status).toBe(200)
  await make('delete')
  expect((await change.patch(near, 'acknowledged')).status).toBe(200)
  expect((await change.act(near)).status).toBe(202)

  network.heal()
  // What was held arrives before what is sent now.
  for (const note of ['1', '2', '3'])
    expect((await askFleet(far, 'PATCH', '/farms/action', { note })).status).toBe(200)
  const { json } = await askFleet(near, 'GET', '/farms')
  expect(json).toMatchObject({
    farms: [{ farm: 'action' }, { farm: 'delete' }, { farm: 'patch', note: 'acknowledged' }, { farm: 'put' }],
  })
  // A farm that was never linked answers its own key with 503, and any other with 401.
  for (const [name, key] of keys)
    expect([name, (await askFleet(near, 'GET', `/farms/${name}/players`, undefined, key)).status]).toEqual([
      name,
      503,
    ])
  const begun = Object((await askFleet(near, 'GET', '/farms/actions')).json)
  expect(begun.actions).toHaveLength(1)
})
