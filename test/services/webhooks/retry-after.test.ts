/** Receivers that say when to try again. */
import { describe, expect, test } from 'vitest'
import { eventually } from '../../wait.ts'
import { aListenedFarm, joins } from './a-notified-farm.ts'
import { status } from './a-receiver.ts'

describe('429', () => {
  test.each([
    ['Retry-After in seconds', { 'Retry-After': '7' }, '', 7],
    ['Retry-After as a date', { 'Retry-After': 'Sat, 21 Nov 2026 12:01:00 GMT' }, '', 60],
    ["Discord's retry_after in the body", {}, '{"message":"limited","retry_after":2.5,"global":false}', 2.5],
    ['a Retry-After of more than a day is a day', { 'Retry-After': '999999' }, '', 86_400],
  ])(
    'with %s is obeyed, and does not count as one of the ten attempts',
    async (_what, headers, body, seconds) => {
      const { receiver, farm, id } = await aListenedFarm(status(429, headers, body))
      farm.emit(joins('Abby'))
      const [first] = await farm.eventuallyDeliveries(id, ([one]) => one?.status === 429)
      expect(first).toMatchObject({ tries: 0, state: 'waiting' })
      expect((Date.parse(first?.nextTryAt ?? '') - farm.clock.wall) / 1000).toBe(seconds)
      receiver.answers(status(200))
      await farm.pass(seconds)
      await farm.eventuallyDeliveries(id, ([one]) => one?.state === 'delivered')
    },
  )

  test('without a time is a failure like any other', async () => {
    const { farm, id } = await aListenedFarm(status(429, {}, 'slow down'))
    farm.emit(joins('Abby'))
    const [first] = await farm.eventuallyDeliveries(id, ([one]) => one?.status === 429)
    expect(first).toMatchObject({ tries: 1, nextTryAt: '2026-11-21T12:00:05.000Z' })
  })

  test('for five days ends a delivery', async () => {
    const { farm, id } = await aListenedFarm(status(429, { 'Retry-After': '86400' }))
    farm.emit(joins('Abby'))
    for (let day = 1; day <= 6; day += 1) {
      await eventually(() => expect(farm.outcomes.length).toBe(day))
      await farm.deliveriesOf(id)
      await farm.pass(86_400)
    }
    await farm.eventuallyDeliveries(id, ([one]) => one?.state === 'failed')
  })
})

test('a Retry-After of another failure is the minimum wait', async () => {
  const { farm, id } = await aListenedFarm(status(503, { 'Retry-After': '60' }))
  farm.emit(joins('Abby'))
  const [first] = await farm.eventuallyDeliveries(id, ([one]) => one?.tries === 1)
  expect(first?.nextTryAt).toBe('2026-11-21T12:01:00.000Z')
})
