/** The records at the edge: they are the farm's, over a real link to a real workerd. */
import { expect, inject, onTestFinished, test } from 'vitest'
import type { RecordsState } from '../../handlers/records.ts'
import { postKey } from '../contract/http/made-key.ts'
import { ask, askWithKey, expectProblem } from '../contract/request.ts'
import { suiteKey } from '../contract/server-under-test.ts'
import { memoryOwnRecords } from '../records/memory-records.ts'
import { eventually } from '../wait.ts'
import { startEdge } from './edge.ts'
import { linkKey } from './edge-server.ts'
import { diallingFarm } from './linked-farm.ts'

test('rows of the edge are on the farm; without a link nothing is read or recorded, and /health says so', async () => {
  const edge = await startEdge(inject('edgeBundle'), { API_KEY: suiteKey, LINK_KEY: linkKey })
  onTestFinished(() => edge.stop())
  const server = { url: edge.url, key: suiteKey }
  const own = memoryOwnRecords()
  const disk: { state: RecordsState } = { state: 'ok' }
  const records = { ...own.of('edge'), state: () => disk.state }
  const health = async () => (await ask(server, 'GET', '/health')).json
  const { link } = diallingFarm(edge.url, linkKey, { records })
  await eventually(async () => expect(await health()).toMatchObject({ status: 'ok', records: 'ok' }))
  expect((await askWithKey(server, 'POST', '/time?value=1200')).status).toBe(200)
  const { entries } = await own.of('local').audit({ limit: 10 })
  expect(entries).toMatchObject([{ origin: 'edge', action: 'setTime', outcome: 'done' }])

  disk.state = 'failed'
  await eventually(async () => expect(await health()).toMatchObject({ status: 'ok', records: 'failed' }))
  disk.state = 'ok'
  await eventually(async () => expect(await health()).toMatchObject({ records: 'ok' }))

  await link.close()
  await eventually(async () =>
    expect(await health()).toMatchObject({ status: 'degraded', records: 'failed' }),
  )
  for (const [method, path] of [
    ['GET', '/audit'],
    ['GET', '/keys'],
    ['DELETE', '/keys?id=abc'],
  ] as const)
    expectProblem(await askWithKey(server, method, path), 503, 'game_unavailable', { retry: true })
  const unreachable = await postKey(server, { name: 'bot', scopes: ['chat'] })
  expect(unreachable.json).toMatchObject({ error: 'The farm is not reachable' })
  expectProblem(await askWithKey(server, 'GET', '/audit/export'), 503, 'game_unavailable', { retry: true })
  expect((await askWithKey(server, 'POST', '/time?value=1300')).status).toBe(503)
  expect((await own.of('local').audit({ limit: 10 })).entries).toEqual(entries)
})
