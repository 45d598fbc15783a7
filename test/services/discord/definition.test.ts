import { expect, test } from 'vitest'
import { farmDefinition } from '../../../services/discord/definition.ts'
import { farmCommands } from '../../../services/discord/farm-commands.ts'

const { options } = farmDefinition

test('what is registered in Discord is what farmgate answers, and bind', () => {
  expect(options.map(({ name }) => name)).toEqual([...farmCommands.keys(), 'bind'])
})

test('the options of each command are what its endpoint takes', () => {
  for (const [name, { endpoint }] of farmCommands) {
    const { parameters, body } = endpoint
    const taken = Object.keys(body === undefined ? parameters : Object(Object(body.schema)['entries']))
    const command = options.find((one) => one.name === name)
    expect([name, command?.options.map((option) => option.name)]).toEqual([name, taken])
  }
})

test('names and descriptions are of the lengths that Discord takes', () => {
  for (const { name, description } of [
    farmDefinition,
    ...options,
    ...options.flatMap((one) => [...one.options]),
  ]) {
    expect(name).toMatch(/^[a-z]{1,32}$/)
    expect(description.length).toBeLessThanOrEqual(100)
  }
})
