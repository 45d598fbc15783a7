import { describe, expect, test } from 'vitest'
import { FarmError } from '../../handlers/farm-error.ts'
import { calledByName, changePerson, personTarget } from '../../handlers/person.ts'
import { Problem } from '../../handlers/problem.ts'
import { problemFrom } from './plain-game.ts'

const among =
  (...names: readonly string[]) =>
  async () =>
    names.map((name, at) => ({ id: BigInt(at + 1), name }))
const never = () => expect.fail('this needs no lookup')

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
  for (const [asked, sentence] of [
    [{}, "Missing 'name' or 'playerId' query parameter"],
    [{ name: 'a', playerId: 1n }, "Provide either 'name' or 'playerId', not both"],
  ] as const) {
    const { code, message } = await problemFrom(personTarget(asked, never, 'player_not_found'))
    expect([code, message]).toEqual(['invalid_parameter', sentence])
  }
})

test('an unknown name fails with the given code, and the text contains the name', async () => {
  const player = await problemFrom(personTarget({ name: 'X' }, among(), 'player_not_found'))
  const farmhand = await problemFrom(personTarget({ name: 'X' }, among(), 'farmhand_not_found'))
  expect([player.message, farmhand.message]).toEqual(["Player 'X' not found", "Farmhand 'X' not found"])
})

test('several players with one name are ambiguous_name: use playerId', async () => {
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

describe('an id that the game does not know', () => {
  const known = 2n ** 62n + 1n
  const target = (id: bigint) => ({ id, label: `id=${id}` })
  const unknown = (id: bigint) => () =>
    Promise.reject(new FarmError({ kind: 'farmhand_not_found', label: `id=${id}` }))

  test('is not reported as rounded when it is listed itself, or no known id rounds to it', async () => {
    for (const [id, listed] of [
      [known, known],
      [2n ** 53n, 2n ** 53n - 1n],
      [5n, 6n],
    ] as const) {
      const people = async () => [{ id: listed }]
      const problem = await problemFrom(changePerson(target(id), people, 'idText', unknown(id)))
      expect(problem.message).toBe(`Farmhand id=${id} not found`)
    }
  })

  test('stays not found when the known ids cannot be read', async () => {
    const people = () => Promise.reject(new FarmError({ kind: 'unavailable' }))
    const problem = await problemFrom(changePerson(target(1n), people, 'idText', unknown(1n)))
    expect(problem.code).toBe('farmhand_not_found')
  })
})

test('known ids are not read when the change succeeds or fails for another reason', async () => {
  const target = { id: 1n, label: 'id=1' }
  expect(await changePerson(target, never, 'idText', async () => 'Abby')).toBe('Abby')
  const refused = changePerson(target, never, 'idText', () =>
    Promise.reject(new FarmError({ kind: 'save_in_progress' })),
  )
  expect((await problemFrom(refused)).code).toBe('save_in_progress')
})

test('an unexpected error in a change is passed on unchanged', async () => {
  const bug = new TypeError('a bug')
  await expect(changePerson({ id: 1n, label: '' }, never, 'idText', () => Promise.reject(bug))).rejects.toBe(
    bug,
  )
  const refusal = new Problem('rate_limited', 'Later')
  await expect(
    changePerson({ id: 1n, label: '' }, never, 'idText', () => Promise.reject(refusal)),
  ).rejects.toBe(refusal)
})

test("an id is shown with its own person's name, among several", async () => {
  const target = { id: 2n, label: 'id=2' }
  expect(await calledByName(target, among('Abby', 'Zoë'))).toEqual({ id: 2n, label: "'Zoë'" })
  expect(await calledByName(target, among('Abby'))).toBe(target)
  expect(await calledByName(target, among('Abby', ''))).toBe(target)
  expect(await calledByName(target, () => Promise.reject(new Error('away')))).toBe(target)
})
