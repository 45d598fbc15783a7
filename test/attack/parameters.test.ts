/** Every parameter of every endpoint with hostile values. The edge reads them by the same code. */
import { describe, expect, test } from 'vitest'
import type { Endpoint } from '../../handlers/endpoint.ts'
import { endpoints } from '../../handlers/endpoints/all-endpoints.ts'
import type { Parameter } from '../../handlers/parameter.ts'
import { statusOf } from '../../handlers/problem-table.ts'
import { sharedServer } from '../contract/shared-server.ts'
import { nodeServer } from '../runtime/node/node-server.ts'
import { type Sent, send } from './requests/send.ts'
import { hostileValues } from './requests/values.ts'

const int64 = { minimum: -(2n ** 63n), maximum: 2n ** 63n - 1n }

/** @returns undefined for invalid percent-encoded UTF-8 */
function decodedValue(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}

/** @param encoded as in the URL */
function isAccepted({ schema }: Parameter<unknown>, encoded: string): boolean {
  const text = decodedValue(encoded)
  if (text === undefined || text === '') return false
  // An id as a text is the same id as a number.
  const [asNumber = schema] = Array.isArray(schema['anyOf']) ? (schema['anyOf'] as (typeof schema)[]) : []
  const { type, format, minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = asNumber
  if (type === 'boolean') return /^(true|false)$/i.test(text)
  if (type === 'string') return isText(schema, text)
  // Numbers have no sign but a minus, no blank, no exponent, and no digits but 0 to 9; those with a point
  // have at most 15 digits on each side of it.
  if (!(type === 'integer' ? /^-?[0-9]+$/ : /^[0-9]{1,15}(\.[0-9]{1,15})?$/).test(text)) return false
  if (format === 'int64') return text.length <= 64 && isWithin(BigInt(text), int64)
  return isWithin(Number(text), { minimum: Number(minimum), maximum: Number(maximum) })
}

function isText({ pattern, format, maxLength }: Parameter<unknown>['schema'], text: string): boolean {
  if (format === 'date-time') return isDateTime(text)
  if (typeof maxLength === 'number' && text.length > maxLength) return false
  if (typeof pattern !== 'string') return text.trim() !== ''
  if (!new RegExp(pattern).test(text)) return false
  // `hostTo` takes whatever the console of the game takes for an id.
  return pattern.includes('server') || isWithin(BigInt(text), { minimum: 1n, maximum: 2n ** 64n - 1n })
}

/** RFC 3339, section 5.6. */
const isDateTime = (text: string) =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text) && !Number.isNaN(Date.parse(text))

const isWithin = <N extends number | bigint>(value: N, { minimum, maximum }: { minimum: N; maximum: N }) =>
  value >= minimum && value <= maximum
const all = endpoints.flatMap((endpoint) =>
  Object.entries(endpoint.parameters).map(([name, parameter]) => ({ endpoint, name, parameter })),
)

/** The other parameters that a request needs: the required ones, and a short wait. */
function others({ path, parameters }: Endpoint, name: string): readonly string[] {
  const required = Object.entries(parameters).flatMap(([other, { required, example }]) =>
    required && other !== name ? [`${other}=${example}`] : [],
  )
  return path.startsWith('/wait/') && name !== 'timeout' ? [...required, 'timeout=1'] : required
}

/** Ways to send a parameter that are wrong for any value. */
const structures = (name: string, value: string) => [
  { what: 'twice', query: [`${name}=${value}`, `${name}=${value}`], parameter: name },
  {
    what: 'in two spellings',
    query: [`${name}=${value}`, `${name.toUpperCase()}=${value}`],
    parameter: name,
  },
  { what: 'encoded and plain', query: [`${name}=${value}`, `${encoded(name)}=${value}`], parameter: name },
  { what: 'without a value', query: [name], parameter: name },
  { what: 'twice, one of them empty', query: [`${name}=`, `${name}=${value}`], parameter: name },
]

const encoded = (name: string) => [...name].map((sign) => `%${sign.charCodeAt(0).toString(16)}`).join('')

type Attacked = (typeof all)[number]

/** The values of a parameter of which those with the same schema each get a share, so that the schema gets all. */
function sharedValues(attacked: Attacked): readonly string[] {
  const kindOf = (of: Attacked) => JSON.stringify([of.endpoint.at, of.parameter.schema])
  const kin = all.filter((other) => kindOf(other) === kindOf(attacked))
  const own = kin.indexOf(attacked)
  return hostileValues.filter((_value, at) => at % kin.length === own)
}

const server = sharedServer(nodeServer)
const ask = ({ method, path, body, upload }: Endpoint, query: readonly string[]): Promise<Sent> => {
  const headers = {
    Authorization: `Bearer ${server().key}`,
    ...(body?.type !== undefined && { 'Content-Type': body.type }),
    ...(upload !== undefined && { 'Content-Type': upload.type }),
  }
  return send(server().url, method, `${path}?${query.join('&')}`, headers, body?.example)
}

describe.each(all)('$endpoint.method $endpoint.path?$name', (attacked) => {
  const { endpoint, name, parameter } = attacked
  const declared = [200, ...endpoint.problems.map((code) => statusOf(code))]

  test('a value is refused unless the schema in OpenAPI allows it, and then by the name of the parameter', async () => {
    await Promise.all(
      sharedValues(attacked).map(async (value) => {
        const { status, json } = await ask(endpoint, [...others(endpoint, name), `${name}=${value}`])
        const answer = { value, status, ...(status === 400 && { json }) }
        if (isAccepted(parameter, value))
          expect(answer).toEqual({ value, status: expect.toBeOneOf(declared) })
        else expect(answer).toEqual({ value, status: 400, json: problemOf(name) })
      }),
    )
  })

  test('sent in a wrong way, it is 400', async () => {
    for (const { what, query } of structures(name, parameter.example ?? '1')) {
      const { status, json } = await ask(endpoint, [...others(endpoint, name), ...query])
      expect({ what, status, json }).toEqual({ what, status: 400, json: problemOf(name) })
    }
  })
})

const problemOf = (parameter: string) => ({
  success: false,
  error: expect.stringContaining(parameter),
  code: 'invalid_parameter',
  parameter,
})
