import { expect, test } from 'vitest'
import { personTarget } from '../../handlers/person.ts'
import { problemFrom } from './plain-game.ts'

const among =
  (...names: readonly string[]) =>
  async () =>
    names.map((name, at) => ({ id: BigInt(at + 1), name }))
const never = () => expect.fail('nobody need be looked up')

test.each([
  ['Abby', 'aBBY'],
  ['Сергей', 'СЕРГЕЙ'],
  ['Straße', 'STRASSE'],
  ['Ελένης', 'ΕΛΈΝΗΣ'],
  ['Zoë', 'Zoe\u0308'],
  ['İbrahim', 'İBRAHIM'],
  ['小林 さくら', '小林 さくら'],
  ['Juniper 🌱', 'JUNIPER 🌱'],
  ['ﬁne', 'FINE'],
])('names match case-insensitively in any script: %s is %s', async (name, asked) => {
  expect(await personTarget({ name: asked }, among('Other', name), 'player_not_found')).toEqual({
    id: 2n,
    label: `'${asked}'`,
  })
})

test('a name is matched whole', async () => {
  for (const name of ['Ab', 'Abby ', 'Abbyx', '.*'])
    expect((await problemFrom(personTarget({ name }, among('Abby'), 'player_not_found'))).code).toBe(
      'player_not_found',
    )
})

test('an id is taken as it is', async () => {
  expect(await personTarget({ playerId: -(2n ** 63n) }, never, 'player_not_found')).toEqual({
    id: -(2n ** 63n),
    label: 'id=-9223372036854775808',
  })
})

test('both or neither of name and playerId is invalid_parameter', async () => {
  for (const both of [{}, { name: 'a', playerId: 1n }])
    expect((await problemFrom(personTarget(both, never, 'player_not_found'))).code).toBe('invalid_parameter')
})

test('no such name is the code asked for, and the text says who', async () => {
  const player = await problemFrom(personTarget({ name: 'X' }, among(), 'player_not_found'))
  const farmhand = await problemFrom(personTarget({ name: 'X' }, among(), 'farmhand_not_found'))
  expect([player.message, farmhand.message]).toEqual(["Player 'X' not found", "Farmhand 'X' not found"])
})

test('several players of one name are ambiguous_name: use playerId', async () => {
  const problem = await problemFrom(personTarget({ name: 'twin' }, among('Twin', 'TWIN'), 'player_not_found'))
  expect([problem.code, problem.status]).toEqual(['ambiguous_name', 409])
  expect(problem.message).toContain("'playerId'")
})

test('one person listed twice is one person', async () => {
  const twice = async () => [
    { id: 5n, name: 'Abby' },
    { id: 5n, name: 'abby' },
  ]
  expect(await personTarget({ name: 'Abby' }, twice, 'player_not_found')).toMatchObject({ id: 5n })
})
