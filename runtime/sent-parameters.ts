import type { BegunWrite } from '../handlers/audit-entry.ts'
import type { Endpoint } from '../handlers/endpoint.ts'
import { readJson, stringifyJson } from '../handlers/json.ts'

/** UTF-16 units of a value; longer ones are cut. */
const maxLength = 256

/**
 * What a write was sent with, for the audit: the parameters of the query and the members of the body that the endpoint
 * knows, as they were sent. What it does not know may be a secret, and is left out.
 * @param search the URL's query without its `?`
 * @param text the body
 */
export function sentParameters(
  { parameters, body }: Pick<Endpoint, 'parameters' | 'body'>,
  search: string,
  text: string,
): BegunWrite['parameters'] {
  const sent: Record<string, unknown> = {}
  const known = Object.keys(parameters)
  if (known.length > 0)
    for (const [name, value] of new URLSearchParams(search)) note(sent, known, name, value.toWellFormed())
  const members =
    body !== undefined && 'entries' in body.schema ? Object.keys(Object(body.schema.entries)) : []
  const value = members.length > 0 ? readJson(text) : undefined
  if (!isObject(value)) return sent
  const shown = body?.audited?.(value)
  const names = shown === undefined ? members : Object.keys(shown)
  for (const [name, member] of Object.entries(shown ?? value)) note(sent, names, name, member)
  return sent
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Names match in any case, as they do for handlers; the first of several values counts. */
function note(sent: Record<string, unknown>, known: readonly string[], given: string, value: unknown): void {
  const name = known.find((one) => one.toLowerCase() === given.toLowerCase())
  if (name === undefined || name in sent) return
  const text = typeof value === 'string' ? value : stringifyJson(value)
  sent[name] = text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : value
}
