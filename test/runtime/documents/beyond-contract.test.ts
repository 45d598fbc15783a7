import { Validator } from '@seriousme/openapi-schema-validator'
import { expect, test } from 'vitest'
import { endpoints } from '../../../handlers/endpoints/all-endpoints.ts'
import { fleetEndpoints } from '../../../handlers/endpoints/fleet-endpoints.ts'
import { parseJson, stringifyJson } from '../../../lib/json.ts'
import { openApi } from '../../../runtime/documents/openapi.ts'

test('a valid OpenAPI document has every endpoint, those of a fleet included, with its operation', async () => {
  const document = parseJson(stringifyJson(openApi('./'))) as Record<string, Record<string, object>>
  const plain = JSON.parse(
    JSON.stringify(document, (_name, value) => (typeof value === 'bigint' ? Number(value) : value)),
  )
  const { valid, errors } = await new Validator().validate(plain)
  expect({ valid, errors }).toEqual({ valid: true, errors: undefined })
  for (const { path, method, operationId } of [...endpoints, ...fleetEndpoints])
    expect(document['paths']?.[path]).toHaveProperty([method.toLowerCase(), 'operationId'], operationId)
  for (const { path, method } of fleetEndpoints)
    expect(document['paths']?.[path]).toHaveProperty([method.toLowerCase(), 'security'], [{ fleetKey: [] }])
  expect(document['paths']?.['/farms/{farm}']).toHaveProperty(['put', 'parameters', '0', 'in'], 'path')
  expect(document['paths']?.['/newgame']).toHaveProperty(['post', 'requestBody'])
  expect(document['paths']?.['/wait/players']).toHaveProperty(['get', 'responses', '408'])
})
