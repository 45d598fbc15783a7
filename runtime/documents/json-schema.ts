/** JSON Schema of the API's input and output, for its OpenAPI and AsyncAPI documents. */
import {
  type ConversionConfig,
  type JsonSchema,
  toJsonSchema,
  toJsonSchemaDefs,
} from '@valibot/to-json-schema'
import * as v from 'valibot'
import * as records from '../../handlers/game-records.ts'
import { anyInteger } from '../../handlers/int64.ts'
import { idTextOf, parseJson, stringifyRecord } from '../../lib/json.ts'

/** The records by their names in a document's `components.schemas`. */
const named = {
  Connection: records.connection,
  Player: records.player,
  Players: records.players,
  Farmhand: records.farmhand,
  Farmhands: records.farmhands,
  Status: records.status,
  Settings: records.settings,
  Cabin: records.cabin,
  Cabins: records.cabins,
  Stats: records.stats,
  Screenshot: records.screenshot,
  PasswordProtection: records.passwordProtection,
  NewGame: records.newGame,
}

/** JSON Schema 2020-12; ids are integers of format int64, each with its text next to it. */
const config: ConversionConfig = {
  target: 'draft-2020-12',
  typeMode: 'input',
  overrideSchema: ({ valibotSchema, jsonSchema }) =>
    valibotSchema === anyInteger || valibotSchema.type === 'bigint'
      ? { type: 'integer', format: 'int64' }
      : valibotSchema.type === 'object'
        ? withIdTexts(jsonSchema)
        : undefined,
  overrideRef: ({ referenceId }) => `#/components/schemas/${referenceId}`,
}

/** Converts a valibot schema to JSON Schema; a named record becomes a `$ref` into `components.schemas`. */
export function jsonSchemaOf(schema: v.GenericSchema): JsonSchema {
  const { $schema: _, $defs: __, ...json } = toJsonSchema(schema, { ...config, definitions: named })
  return json
}

/** The named records, for a document's `components.schemas`. */
export const namedSchemas = (): Readonly<Record<string, JsonSchema>> => toJsonSchemaDefs(named, config)

/** A record as clients get it, with the texts of its ids; ids themselves stay bigint. */
export const shownRecord = (record: unknown): unknown => parseJson(stringifyRecord(record))

const idText: JsonSchema = { type: 'string', pattern: '^-?[0-9]+$' }

/** Adds to an object's schema the text of each int64 id, right after the id and required where the id is. */
function withIdTexts(schema: JsonSchema): JsonSchema {
  const { properties = {}, required = [] } = schema
  const shown: [string, JsonSchema | boolean][] = []
  for (const [member, property] of Object.entries(properties)) {
    shown.push([member, property])
    const text = idTextOf(member)
    if (text === undefined || typeof property === 'boolean') continue
    const description = `\`${member}\` for programs whose numbers are doubles`
    if (isInt64(property)) shown.push([text, { ...idText, description }])
    else if (isInt64(property.items)) shown.push([text, { type: 'array', items: idText, description }])
  }
  const texts = new Map(shown.map(([member]) => [idTextOf(member), member]))
  return {
    ...schema,
    properties: Object.fromEntries(shown),
    required: shown.flatMap(([member]) => (required.includes(texts.get(member) ?? member) ? [member] : [])),
  }
}

const int64 = v.object({ format: v.literal('int64') })
const isInt64 = (schema: unknown) => v.is(int64, schema)
