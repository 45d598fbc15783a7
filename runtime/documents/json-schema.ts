import { type JsonSchema, toJsonSchema } from '@valibot/to-json-schema'
import type * as v from 'valibot'

const bounds: ReadonlySet<string> = new Set(['min_value', 'max_value'])

/** A valibot schema as JSON Schema 2020-12; bigints are integers of format int64. */
export function jsonSchemaOf(schema: v.GenericSchema): JsonSchema {
  const { $schema: _, ...json } = toJsonSchema(schema, {
    target: 'draft-2020-12',
    typeMode: 'input',
    overrideSchema: ({ valibotSchema }) =>
      valibotSchema.type === 'bigint' ? { type: 'integer', format: 'int64' } : undefined,
    // The bounds of an int64 say no more than its format, and JSON Schema has no bigint to say them with.
    overrideAction: ({ valibotAction, jsonSchema }) =>
      bounds.has(valibotAction.type) &&
      'requirement' in valibotAction &&
      typeof valibotAction.requirement === 'bigint'
        ? jsonSchema
        : undefined,
  })
  return json
}
