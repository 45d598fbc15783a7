/** Ids in OpenAPI and AsyncAPI: int64, each with a text. */
import * as v from 'valibot'
import { expect, test } from 'vitest'
import { ask } from '../../contract/request.ts'
import { describedApi } from './described-api.ts'

const { server, described, chat, operationOf } = await describedApi()

const property = v.looseObject({
  format: v.optional(v.string()),
  items: v.optional(v.looseObject({ format: v.optional(v.string()) })),
})
const objectSchema = v.looseObject({
  type: v.literal('object'),
  properties: v.record(v.string(), property),
  required: v.optional(v.array(v.string())),
})
/** Every schema of an object in a document, at any depth. */
function* objectSchemas(part: unknown): Generator<v.InferOutput<typeof objectSchema>> {
  if (typeof part !== 'object' || part === null) return
  if (v.is(objectSchema, part)) yield part
  for (const inner of Object.values(part)) yield* objectSchemas(inner)
}

test('ids are int64 integers, and in requests also decimal texts of at most 20 characters', () => {
  for (const [method, path] of [
    ['POST', '/roles/admin'],
    ['DELETE', '/farmhands'],
    ['POST', '/farmhands/rebind'],
  ] as const)
    expect(operationOf(method, path).parameters.find(({ name }) => name === 'playerId')?.schema).toEqual({
      anyOf: [
        { type: 'integer', format: 'int64' },
        { type: 'string', pattern: '^-?[0-9]{1,19}$', maxLength: 20 },
      ],
    })
  for (const [record, member] of [
    ['Player', 'id'],
    ['Farmhand', 'id'],
    ['Cabin', 'ownerId'],
  ] as const)
    expect(described.components.schemas[record]).toMatchObject({
      properties: { [member]: { type: 'integer', format: 'int64' } },
      required: expect.arrayContaining([member]),
    })
})

test('every int64 id has its text right after it, in OpenAPI and in AsyncAPI', () => {
  for (const document of [described, chat]) {
    const found = [...objectSchemas(document)].flatMap(({ properties, required = [] }) =>
      Object.entries(properties).flatMap(([member, property], at) => {
        const isList = property.items?.format === 'int64'
        if (property.format !== 'int64' && !isList) return []
        const text = isList ? member.replace(/s$/, 'Texts') : `${member}Text`
        expect(Object.keys(properties)[at + 1]).toBe(text)
        const described = { type: 'string', pattern: '^-?[0-9]+$' }
        expect(properties[text]).toMatchObject(isList ? { type: 'array', items: described } : described)
        expect(required.includes(text)).toBe(required.includes(member))
        return [member]
      }),
    )
    expect(new Set(found)).toEqual(
      new Set(['id', 'ownerId', 'savedPositionPlayerIds', ...(document === chat ? [] : ['playerId'])]),
    )
  }
})

test('the ids of every example agree with their texts', async () => {
  const { text } = await ask(server, 'GET', '/openapi.json')
  const pairs = [
    ...text.matchAll(/"(?:id|ownerId|playerId)":(-?\d+),"(?:id|ownerId|playerId)Text":"(-?\d+)"/g),
  ]
  expect(pairs.length).toBeGreaterThan(3)
  for (const [, id, written] of pairs) expect(written).toBe(id)
})
