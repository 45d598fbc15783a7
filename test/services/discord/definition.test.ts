import { expect, test } from 'vitest'
import { farmDefinition } from '../../../services/discord/definition.ts'
import { farmCommands } from '../../../services/discord/farm-commands.ts'

const { options } = farmDefinition

test('Discord gets exactly the commands that farmgate answers, and bind', () => {
  expect(options.map(({ name }) => name)).toEqual([...farmCommands.keys(), 'bind'])
})

test('each command offers what its endpoint takes; what may be left out need not be offered', () => {
  for (const [name, { endpoint }] of farmCommands) {
    const { parameters, body } = endpoint
    const taken: Readonly<Record<string, { readonly required?: boolean; readonly type?: string }>> =
      body === undefined ? parameters : Object(Object(body.schema)['entries'])
    const needed = Object.keys(taken).filter(
      (member) => taken[member]?.required !== false && !taken[member]?.type?.includes('optional'),
    )
    const offered = options.find((one) => one.name === name)?.options.map((option) => option.name) ?? []
    expect([name, Object.keys(taken)]).toEqual([name, expect.arrayContaining(offered)])
    expect([name, offered]).toEqual([name, expect.arrayContaining(needed)])
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
