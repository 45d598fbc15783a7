import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { aListenedFarm, joins } from './a-notified-farm.ts'
import { status } from './a-receiver.ts'

/** The receiver's library compares the time with the machine's own clock. */
const today = { now: Date.now }

test('a delivery is signed by Standard Webhooks: its library verifies it', async () => {
  const { receiver, farm, id, secret = '' } = await aListenedFarm(undefined, today)
  farm.emit(joins('Abby', 6_208_260_877_024_290_921n))
  await farm.eventuallyDeliveries(id, ([first]) => first?.state === 'delivered')
  const [{ body, headers, path } = { body: '', headers: {}, path: '' }] = receiver.received
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  const library = new Webhook(secret)
  const sent = Object.fromEntries(
    ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => [name, String(headers[name])]),
  )
  expect(library.verify(body, sent)).toMatchObject({ type: 'player.joined', data: { name: 'Abby' } })
  expect(() => library.verify(`${body} `, sent)).toThrow()
  expect(() => new Webhook('whsec_AAAA').verify(body, sent)).toThrow()
  expect([path, headers['content-type']]).toEqual(['/secret-path', 'application/json'])
})

test('the body has the type, the time of the event, and members with every digit of an id', async () => {
  const { receiver, farm } = await aListenedFarm()
  farm.emit({
    type: 'player_joined',
    player: {
      id: 6_208_260_877_024_290_921n,
      name: 'Abby',
      isOnline: true,
      connection: { joinPath: 'relay', identity: '76561198000000001' },
    },
  })
  await expect
    .poll(() => receiver.received.map(({ body }) => body))
    .toEqual([
      '{"type":"player.joined","timestamp":"2026-11-21T12:00:00.000Z","data":{"farmName":"Clover","playerId":6208260877024290921,"playerIdText":"6208260877024290921","name":"Abby","joinPath":"relay"}}',
    ])
})

test("webhook-id is the same in every attempt, and webhook-timestamp is the attempt's own", async () => {
  const { receiver, farm, id } = await aListenedFarm(status(500))
  farm.emit(joins('Abby'))
  await farm.eventuallyDeliveries(id, ([first]) => first?.tries === 1)
  await farm.pass(5)
  await farm.eventuallyDeliveries(id, ([first]) => first?.tries === 2)
  const [first, second] = receiver.received.map(({ headers }) => headers)
  expect(second?.['webhook-id']).toBe(first?.['webhook-id'])
  expect(Number(second?.['webhook-timestamp']) - Number(first?.['webhook-timestamp'])).toBe(5)
  expect(first?.['webhook-id']).toBe(`msg_${(await farm.deliveriesOf(id))[0]?.id}`)
})
