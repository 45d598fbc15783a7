/** Whether a value is valid for a parameter, by the JSON Schema that OpenAPI publishes for it and docs/api.md. */
import type { Parameter } from '../../../handlers/parameter.ts'

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
export function isAccepted({ schema }: Parameter<unknown>, encoded: string): boolean {
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
  return typeof pattern === 'string'
    ? new RegExp(pattern).test(text) && isWithin(BigInt(text), { minimum: 1n, maximum: 2n ** 64n - 1n })
    : text.trim() !== ''
}

/** RFC 3339, section 5.6. */
const isDateTime = (text: string) =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text) && !Number.isNaN(Date.parse(text))

const isWithin = <N extends number | bigint>(value: N, { minimum, maximum }: { minimum: N; maximum: N }) =>
  value >= minimum && value <= maximum
