/** `farmgate webhooks` against a real server and a real receiver. */
import { expect, onTestFinished, test } from 'vitest'
import { openWebhooks } from '../../services/webhooks/open-webhooks.ts'
import { askWithKey } from '../contract/request.ts'
import { silent } from '../logs.ts'
import { nodeServer } from '../runtime/node/node-server.ts'
import { aReceiver, status } from '../services/webhooks/a-receiver.ts'
import { at, run } from './farmgate.ts'
import { answering } from './faulty.ts'

test('webhooks are made, listed, tested, replayed and deleted; the URL is read from the input and never shown', async () => {
  const server = await nodeServer()
  const webhooks = openWebhooks({
    game: server.bridge,
    records: server.records,
    keepsChat: true,
    privateHosts: ['127.0.0.1'],
    farmName: () => 'Clover',
    tried: () => undefined,
    log: silent,
    now: Date.now,
    monotonic: () => performance.now(),
    random: Math.random,
  })
  onTestFinished(async () => {
    await webhooks.close()
    await server.stop()
  })
  const receiver = await aReceiver()
  const command = (...args: string[]) => run(['webhooks', ...args], at(server), `${receiver.url}\n`)
  const made = await command('add', 'Farm channel', '--event', 'player.joined', 'farm.away')
  expect([made.code, made.stdout]).toEqual([0, expect.stringMatching(/^whsec_\S+\n$/)])
  const id = /webhooks test (\S+)/.exec(made.stderr)?.[1] ?? ''
  expect((await command()).stdout).toMatch(
    new RegExp(`^Farm channel +${id} +http://127\\.0\\.0\\.1:${receiver.port} `, 'm'),
  )
  expect(await command('test', id)).toMatchObject({ code: 0, stdout: 'delivered\n' })
  receiver.answers(status(500))
  expect(await command('test', id)).toMatchObject({ code: 1, stdout: 'failed (HTTP 500)\n' })
  const listed = await command('deliveries', id)
  const deliveryId = /test +(\d+) +delivered/.exec(listed.stdout)?.[1] ?? ''
  expect((await command('replay', deliveryId)).stdout).toBe(`Delivery ${deliveryId} is being sent\n`)
  expect((await command('delete', id, '--yes')).stdout).toBe(`Webhook ${id} is deleted\n`)
  expect((await command('delete', id, '--yes')).code).toBe(4)
  expect((await command('add', 'w', '--event', 'player.danced')).code).toBe(2)
  expect(
    await run(['webhooks', 'add', 'w', '--event', 'farm.away'], at(server), 'http://10.0.0.1/secret-path\n'),
  ).toEqual({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('List it in WEBHOOK_PRIVATE_HOSTS'),
  })
  const json = { name: 'w', url: 'http://10.0.0.1/secret-path', events: ['farm.away'], format: 'text' }
  expect(await askWithKey(server, 'POST', '/webhooks', { json })).toMatchObject({
    status: 400,
    json: {
      code: 'refused_address',
      parameter: 'url',
      error: expect.stringContaining('WEBHOOK_PRIVATE_HOSTS'),
    },
  })
  for (const { stdout, stderr } of [made, listed]) expect(stdout + stderr).not.toContain('secret-path')
})

test("a webhook's test is found among many later deliveries, and a failed one says what to do", async () => {
  const delivery = { madeAt: '2026-11-21T12:00:00.000Z', event: 'chat.message', state: 'waiting', tries: 0 }
  const later = Array.from({ length: 400 }, (_, at) => ({ ...delivery, id: `later${at}` }))
  const failed = { ...delivery, id: '17', event: 'test', state: 'failed', tries: 1, error: 'timeout' }
  const FARMGATE_URL = await answering({
    '/webhooks/test': { body: { deliveryId: '17' } },
    '/webhooks/deliveries': (_, query) => ({
      body: { deliveries: [...later, failed].slice(0, Number(query.get('limit'))) },
    }),
  })
  expect(await run(['webhooks', 'test', 'x'], { FARMGATE_URL })).toEqual({
    code: 1,
    stdout: 'failed (timeout)\n',
    stderr: `farmgate: The test did not arrive.\n${FARMGATE_URL}/help/notifications#delivery has the causes.\n`,
  })
})

test('a URL given as the name is refused before anything is sent, and is not shown', async () => {
  const server = await nodeServer()
  onTestFinished(() => server.stop())
  const url = 'https://discord.com/api/webhooks/1/secret'
  const refused = await run(['webhooks', 'add', url], at(server), '')
  expect(refused.code).toBe(2)
  expect(refused.stderr).toContain('The name of a webhook cannot be a URL, which is a secret.')
  expect(refused.stdout + refused.stderr).not.toContain(url)
  const { entries } = await server.records.of('local').audit({ limit: 1 })
  expect(entries).toEqual([])
})
