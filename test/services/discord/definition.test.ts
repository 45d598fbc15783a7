import { expect, test } from 'vitest'
import { farmDefinition } from '../../../services/discord/definition.ts'
import { farmCommands } from '../../../services/discord/farm-commands.ts'

const { options } = farmDefinition

test('Discord gets exactly the commands that farmgate answers, and bind', () => {
  expect(options.map(({ name }) => name)).toEqual([...farmCommands.keys(), 'bind'])
})

test('the options of each command are the parameters of its endpoint', () => {
  for (const [name, { endpoint }] of farmCommands) {
    const { parameters, body } = endpoint
    const taken = Object.keys(body === undefined ? parameters : Object(Object(body.schema)['entries']))
    const command = options.find((one) => one.name === name)
    expect([name, command?.options.map((option) => option.name)]).toEqual([name, taken])
  }
})

test('names and descriptions have lengths that Discord accepts', () => {
  for (const { name, description } of [
    farmDefinition,
    ...options,
    ...options.flatMap((one) => [...one.options]),
  ]) {
    expect(name).toMatch(/^[a-z]{1,32}$/)
    expect(description.length).toBeLessThanOrEqual(100)
  }
})
