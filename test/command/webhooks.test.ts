/** `farmgate webhooks` against a real server and a real receiver. */
import { expect, onTestFinished, test } from 'vitest'
import { openWebhooks } from '../../runtime/webhooks/open-webhooks.ts'
import { silent } from '../logs.ts'
import { nodeServer } from '../runtime/node/node-server.ts'
import { aReceiver, status } from '../runtime/webhooks/a-receiver.ts'
import { at, run } from './farmgate.ts'

test('webhooks are made, listed, tried, replayed and deleted; the URL is read from the input and never shown', async () => {
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
  expect((await command()).stdout).toBe('There is no webhook.\n')
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
  for (const { stdout, stderr } of [made, listed]) expect(stdout + stderr).not.toContain('secret-path')
})
