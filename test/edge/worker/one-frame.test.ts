/** Writes at the edge cross the link as one frame to the farm and one back, its row of the audit included. */
import { reset } from 'cloudflare:test'
import { afterEach, expect, test } from 'vitest'
import { edgeEndpoints } from '../../../handlers/endpoints/edge-endpoints.ts'
import { openAuthenticated, openOrigin, write } from './origin.ts'

afterEach(reset)

const writes = edgeEndpoints.filter(({ method, upload }) => method !== 'GET' && upload === undefined)

/** Right for every write whose arguments the edge reads. */
const argumentsOf = (operationId: string) => ({
  search:
    operationId === 'rebindFarmhand' ? 'playerId=1&identity=1' : 'name=Abby&value=1200&fps=1&multiplier=1',
  json: JSON.stringify(
    operationId === 'changeSettings' ? { server: { maxPlayers: 8 } } : { message: 'hello' },
  ),
})

test.each(writes)('$method $path', async ({ method, path, operationId, body }) => {
  const origin = await openOrigin('run of one frame')
  const before = origin.frames()
  const { search, json } = argumentsOf(operationId)
  const answer = write(method, `${path}?${search}`, body && json)
  const { id, ...call } = await origin.take('call')
  expect(call).toMatchObject({ method: 'dispatch', args: [{ operationId, search }] })
  const problem = { code: 'settings_changed', message: 'of the farm', details: {} }
  origin.send(`{"type":"answer","id":${id}}\n${JSON.stringify({ problem })}`)
  expect([(await answer).status, await (await answer).json()]).toMatchObject([409, { error: 'of the farm' }])
  expect(origin.frames() - before).toBe(1)
})

test('a chat message of several lines', async () => {
  const origin = await openOrigin('run of one frame')
  const client = await openAuthenticated()
  const before = origin.frames()
  const payload = { author: 'Bot', message: 'x'.repeat(1000), id: 'of the test' }
  client.send({ type: 'chat_send', payload })
  const { id, ...call } = await origin.take('call')
  const lines = [450, 450, 100].map((length) => 'x'.repeat(length))
  expect(call).toMatchObject({ method: 'say', args: [{ author: 'Bot', lines, id: 'of the test' }] })
  origin.send({ type: 'answer', id })
  expect(await client.take('chat_sent')).toMatchObject({ payload: { id: 'of the test' } })
  expect(origin.frames() - before).toBe(1)
})
