/** Deliveries that an operator requests: a test, and a replay of an earlier one. */
import { describe, expect, test } from 'vitest'
import { eventually } from '../../wait.ts'
import { aListenedFarm, aNotifiedFarm, joins } from './a-notified-farm.ts'
import { namesAt, status } from './a-receiver.ts'

describe('a test', () => {
  test('is sent once and at once, before pending ones', async () => {
    const { receiver, farm, id } = await aListenedFarm(status(500))
    farm.emit(joins('Abby'))
    await farm.eventuallyDeliveries(id, ([first]) => first?.tries === 1)
    const testId = await farm.port.testWebhook(id)
    const [first] = await farm.eventuallyDeliveries(id, ([one]) => one?.state === 'failed')
    expect(first).toMatchObject({ id: testId, event: 'test', tries: 1, status: 500, error: 'status' })
    expect(namesAt(receiver)).toEqual(['Abby', 'test'])
  })

  test('of an unknown webhook does not exist', async () => {
    expect(await aNotifiedFarm().port.testWebhook('nothing')).toBeUndefined()
  })
})

describe('a replay', () => {
  test('sends a delivery again with the same webhook-id and body', async () => {
    const { receiver, farm, id } = await aListenedFarm()
    farm.emit(joins('Abby'))
    const [first] = await farm.eventuallyDeliveries(id, ([one]) => one?.state === 'delivered')
    expect(await farm.port.replayDelivery(first?.id ?? '')).toBe(true)
    await eventually(() => expect(receiver.received.length).toBe(2))
    const [sent, again] = receiver.received
    expect(again?.headers['webhook-id']).toBe(sent?.headers['webhook-id'])
    expect(again?.body).toBe(sent?.body)
  })

  test('of a pending one tries its webhook now', async () => {
    const { receiver, farm, id } = await aListenedFarm(status(500))
    farm.emit(joins('Abby'))
    farm.emit(joins('Sam'))
    const [sam] = await farm.eventuallyDeliveries(id, (all) => all.length === 2 && all[1]?.tries === 1)
    receiver.answers(status(200))
    await farm.port.replayDelivery(sam?.id ?? '')
    await farm.eventuallyDeliveries(id, (all) => all.every(({ state }) => state === 'delivered'))
    expect(namesAt(receiver)).toEqual(['Abby', 'Abby', 'Sam'])
  })

  test('of an unknown one does not exist', async () => {
    expect(await aNotifiedFarm().port.replayDelivery('17')).toBe(false)
  })
})
