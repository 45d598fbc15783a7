import type { BegunWrite } from '../../handlers/audit-entry.ts'
import type { Endpoint } from '../../handlers/endpoint.ts'
import { type EdgeEndpoint, parameterNames } from '../../handlers/forwarded-endpoint.ts'
import type { SentParameter } from '../../handlers/parameter.ts'
import { stringifyJson } from '../../lib/json.ts'

/** UTF-16 units of a value; longer ones are cut. */
const maxLength = 256

/**
 * The parameters of a write for the audit: the known parameters of the query and the known members of the body, as
 * they were sent. Unknown ones may be secrets, and are omitted.
 * @param query as it was sent
 * @param json the body, undefined where it is not JSON or was not read
 */
export function sentParameters(
  endpoint: Pick<Endpoint, 'parameters' | 'body'>,
  query: readonly SentParameter[],
  json?: unknown,
): BegunWrite['parameters'] {
  const sent = queryParameters(endpoint, query)
  const { body } = endpoint
  if (body === undefined || !isObject(json)) return sent
  const shown = body.audited?.(json) ?? knownOf(body.schema, json)
  for (const [name, member] of Object.entries(shown)) note(sent, [name], name, member)
  return sent
}

/** As `sentParameters`, of a call whose body was not read. */
export function queryParameters(
  endpoint: Pick<EdgeEndpoint, 'parameters'>,
  query: readonly SentParameter[],
): Record<string, unknown> {
  const sent: Record<string, unknown> = {}
  const known = parameterNames(endpoint)
  if (known.length > 0)
    for (const { name, value, encoded } of query)
      if (name !== undefined) note(sent, known, name, value ?? encoded)
  return sent
}

/** The members that a schema knows, and those of the objects in them. */
function knownOf(schema: object, value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const entries = entriesOf(schema)
  const known: Record<string, unknown> = {}
  for (const [given, member] of Object.entries(value)) {
    const name = Object.keys(entries).find((one) => one.toLowerCase() === given.toLowerCase())
    if (name === undefined || name in known) continue
    const inner = Object(entries[name])
    const isKnown = isObject(member) && Object.keys(entriesOf(inner)).length > 0
    known[name] = isKnown ? knownOf(inner, member) : member
  }
  return known
}

/** The members of an object's schema, also of an optional one; none for any other. */
function entriesOf(schema: object): Readonly<Record<string, unknown>> {
  if ('entries' in schema) return Object(schema.entries)
  return 'wrapped' in schema ? entriesOf(Object(schema.wrapped)) : {}
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Names match in any case, as they do for handlers; the first of several values counts. */
function note(sent: Record<string, unknown>, known: readonly string[], given: string, value: unknown): void {
  const name = known.find((one) => one.toLowerCase() === given.toLowerCase())
  if (name === undefined || value === undefined || name in sent) return
  const text = typeof value === 'string' ? value : stringifyJson(value)
  sent[name] = text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : value
}
