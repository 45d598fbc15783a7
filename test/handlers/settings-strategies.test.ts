import { expect, test } from 'vitest'
import { offered } from '../../dashboard/views/settings/fields.ts'
import { refusedStrategy } from '../../handlers/settings-change.ts'

const strategies = ['CabinStack', 'FarmhouseStack', 'None']

test('the game refuses to let cabins appear: to None, and from FarmhouseStack to CabinStack', () => {
  const refused = strategies.flatMap((from) =>
    strategies.filter((to) => refusedStrategy(from, to) !== undefined).map((to) => `${from} to ${to}`),
  )
  expect(refused).toEqual(['CabinStack to None', 'FarmhouseStack to CabinStack', 'FarmhouseStack to None'])
})

test('the page offers exactly the strategies that the API takes', () => {
  for (const from of strategies)
    expect(offered('server.cabinStrategy', strategies, from)).toEqual(
      strategies.filter((to) => refusedStrategy(from, to) === undefined),
    )
})
