/** When and in which order deliveries are sent. */
import { describe, expect, test } from 'vitest'
import { deliverWebhooks } from '../../../services/webhooks/deliver.ts'
import { eventually } from '../../wait.ts'
import { aListenedFarm, aNotifiedFarm, joins } from './a-notified-farm.ts'
import { aReceiver, namesAt, status } from './a-receiver.ts'

describe('a failing receiver', () => {
  test('is tried ten times, after 0, 5 s, 5 min, 30 min, 2, 5, 10, 14, 20 and 24 h, and then given up', async () => {
    const { receiver, farm, id } = await aListenedFarm(status(503))
    farm.emit(joins('Abby'))
    const waits: number[] = []
    for (let tries = 1; tries <= 10; tries += 1) {
      const [{ nextTryAt, state } = { nextTryAt: undefined, state: undefined }] =
        await farm.eventuallyDeliveries(id, ([first]) => first?.tries === tries)
      if (nextTryAt === undefined) expect([tries, state]).toEqual([10, 'failed'])
      else {
        const wait = (Date.parse(nextTryAt) - farm.clock.wall) / 1000
        waits.push(wait)
        await farm.pass(wait - 1)
        expect(receiver.received).toHaveLength(tries)
        await farm.pass(1)
      }
    }
    const hour = 3600
    expect(waits).toEqual([5, 300, 1800, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour])
    expect(farm.log.map(({ message }) => message)).toEqual(['a delivery of a webhook is given up'])
  })

  test('is retried after up to a tenth longer, so that not all retries come at the same moment', async () => {
    const { farm, id } = await aListenedFarm(status(503), { random: () => 1 })
    farm.emit(joins('Abby'))
    const [first] = await farm.eventuallyDeliveries(id, ([one]) => one?.tries === 1)
    expect(Date.parse(first?.nextTryAt ?? '') - farm.clock.wall).toBe(5500)
  })

  test('gets the pending deliveries in the order of their events, and none twice, when it is back', async () => {
    const { receiver, farm, id } = await aListenedFarm(status(503))
    const names = Array.from({ length: 60 }, (_, at) => `player ${at}`)
    for (const name of names) farm.emit(joins(name))
    await farm.eventuallyDeliveries(id, (all) => all.at(-1)?.tries === 1 && all.length === 60)
    expect(namesAt(receiver)).toEqual(['player 0'])
    receiver.answers(status(204))
    await farm.pass(5)
    await farm.eventuallyDeliveries(id, (all) => all.every(({ state }) => state === 'delivered'))
    expect(namesAt(receiver)).toEqual(['player 0', ...names])
  })

  test('that never answers delays no other webhook', async () => {
    const [silent, other] = [await aReceiver(), await aReceiver()]
    silent.answers(() => undefined)
    const farm = aNotifiedFarm()
    const stuck = await farm.listen(silent.url)
    const { id } = await farm.listen(other.url)
    for (const name of ['Abby', 'Sam', 'Leah']) farm.emit(joins(name))
    await farm.eventuallyDeliveries(
      id,
      (all) => all.length === 3 && all.every(({ state }) => state === 'delivered'),
    )
    expect(namesAt(other)).toEqual(['Abby', 'Sam', 'Leah'])
    expect((await farm.deliveriesOf(stuck.id)).map(({ state }) => state)).toEqual([
      'waiting',
      'waiting',
      'waiting',
    ])
    expect(namesAt(silent)).toEqual(['Abby'])
  })
})

test('410 disables the webhook: its pending deliveries fail, and no new ones are made', async () => {
  const { receiver, farm, id } = await aListenedFarm(status(410))
  farm.emit(joins('Abby'))
  farm.emit(joins('Sam'))
  await farm.eventuallyDeliveries(
    id,
    (all) => all.length === 2 && all.every(({ state }) => state === 'failed'),
  )
  await eventually(async () =>
    expect((await farm.port.webhooks())[0]?.disabledAt).toBe('2026-11-21T12:00:00.000Z'),
  )
  farm.emit(joins('Leah'))
  await farm.pass(3600)
  expect(await farm.deliveriesOf(id)).toHaveLength(2)
  expect(receiver.received).toHaveLength(1)
  expect(farm.log).toMatchObject([{ level: 'warn', fields: { webhook: id, name: 'w' } }])
})

test('a delivery that its receiver refuses permanently (4xx) fails after two attempts, and the next one is sent', async () => {
  const { receiver, farm, id } = await aListenedFarm((response, { body }) =>
    status(body.includes('Abby') ? 422 : 200)(response),
  )
  farm.emit(joins('Abby'))
  farm.emit(joins('Sam'))
  await farm.eventuallyDeliveries(id, (all) => all[1]?.tries === 1)
  await farm.pass(6)
  const all = await farm.eventuallyDeliveries(id, ([sam]) => sam?.state === 'delivered')
  expect(all[1]).toMatchObject({ state: 'failed', tries: 2, status: 422, error: 'status' })
  expect(namesAt(receiver)).toEqual(['Abby', 'Abby', 'Sam'])
})

test.each([401, 404, 408, 425, 429, 500, 503])(
  '%i is temporary, so a delivery with that answer is tried again',
  async (code) => {
    const { farm, id } = await aListenedFarm(status(code))
    farm.emit(joins('Abby'))
    await farm.eventuallyDeliveries(id, ([one]) => one?.tries === 1)
    await farm.pass(6)
    const [one] = await farm.eventuallyDeliveries(id, ([one]) => one?.tries === 2)
    expect(one?.state).toBe('waiting')
  },
)

test('a clock that was set back by 25 hours delays no delivery, neither a new one nor a failed one', async () => {
  const { receiver, farm, id } = await aListenedFarm(status(503))
  farm.emit(joins('Abby'))
  await farm.eventuallyDeliveries(id, ([one]) => one?.tries === 1)
  await farm.pass(6)
  await farm.eventuallyDeliveries(id, ([one]) => one?.tries === 2)
  farm.emit(joins('Sam'))
  await farm.eventuallyDeliveries(id, (all) => all.length === 2)
  farm.clock.wall -= 25 * 3_600_000
  receiver.answers(status(200))
  await farm.pass(1)
  await farm.eventuallyDeliveries(id, (all) => all.every(({ state }) => state === 'delivered'))
  expect(namesAt(receiver)).toEqual(['Abby', 'Abby', 'Abby', 'Sam'])
})

test('a deleted webhook gets nothing more, and its deliveries are deleted', async () => {
  const { receiver, farm, id } = await aListenedFarm(status(500))
  farm.emit(joins('Abby'))
  await farm.eventuallyDeliveries(id, ([first]) => first?.tries === 1)
  expect(await farm.port.deleteWebhook(id)).toBe(true)
  await farm.pass(3600)
  expect([await farm.port.webhooks(), await farm.port.webhookDeliveries({ id, limit: 1 })]).toEqual([
    [],
    undefined,
  ])
  expect(receiver.received).toHaveLength(1)
  expect(await farm.port.deleteWebhook(id)).toBe(false)
})

test.each([
  ['standard', 1, 2000],
  ['discord', 20, 100],
] as const)(
  '%s: 2,000 pending ones are read one by one, or twenty at a time for Discord, and are only in the database',
  async (format, page, messages) => {
    const farm = aNotifiedFarm()
    const { calls } = farm.records
    await farm.port.makeWebhook({
      name: 'w',
      url: 'https://hooks.example/farm',
      events: ['chat.message'],
      format,
    })
    await farm.webhooks.close()
    const data = '{"farmName":"","playerName":"Abby","message":"hi","timestamp":"2026-11-21T12:00:00.000Z"}'
    for (let made = 0; made < 2000; made += 1)
      await calls.makeDeliveries({ event: 'chat.message', data, at: farm.clock.wall }, 0)
    expect(await calls.waitingDeliveries()).toBe(2000)
    const sizes: number[] = []
    let sent = 0
    const deliveries = deliverWebhooks({
      calls: {
        storedWebhooks: calls.storedWebhooks,
        deliveriesTried: calls.deliveriesTried,
        disableWebhook: calls.disableWebhook,
        async dueDeliveries(id, now, limit) {
          const read = await calls.dueDeliveries(id, now, limit)
          sizes.push(read.length)
          return read
        },
      },
      post: async () => {
        sent += 1
        return { status: 204 }
      },
      log: { warn: () => undefined, info: () => undefined },
      tried: () => undefined,
      now: () => farm.clock.wall,
      random: () => 0,
      stopping: new AbortController().signal,
    })
    await deliveries.look()
    await deliveries.idle()
    expect(Math.max(...sizes)).toBe(page)
    expect([sent, await calls.waitingDeliveries()]).toEqual([messages, 0])
  },
)
