/** Checks a JSON body whose members are all known (docs/api.md). */

import type * as v from 'valibot'
import { checkForeign } from '../lib/foreign/read.ts'
import type { JsonBody } from './endpoint.ts'
import { Problem } from './problem.ts'

/** Maximum of bytes in a body. */
export const maxJsonBody = 16 * 1024

/** A required body of this type and of at most 16 KiB. */
export const jsonBody = <Schema extends v.GenericSchema>(
  schema: Schema,
  example: unknown,
  audited?: JsonBody<unknown>['audited'],
) =>
  ({
    type: 'application/json',
    schema,
    example,
    maxBytes: maxJsonBody,
    ...(audited && { audited }),
  }) as const

const refused = (sentence: string, parameter?: string) =>
  new Problem('invalid_parameter', sentence, { ...(parameter !== undefined && { parameter }) })

/**
 * @param schema a strict object; the messages of its members are sentences for the caller, or begin with `must`
 * @param body the parsed JSON, undefined for a body that is not JSON
 * @throws {Problem} invalid_parameter, with the name of the member that is unknown, missing or wrong
 */
export function readStrict<T>(schema: v.GenericSchema<unknown, T>, body: unknown): T {
  if (body === undefined) throw refused('The body is not valid JSON')
  // An empty list passes a schema of an object without required members.
  if (Array.isArray(body)) throw refused('The body must be a JSON object')
  const read = checkForeign(schema, body)
  if (read.success) return read.output
  const [issue] = read.issues
  const { member, isOfItem } = memberOf(issue)
  if (member === undefined) throw refused('The body must be a JSON object')
  const sentence = issue.message.startsWith('must ') ? `Member '${member}' ${issue.message}` : issue.message
  if (isOfItem) throw refused(sentence, member)
  if (issue.expected === 'never')
    throw refused(`Member '${member.slice(0, 64)}' is not known`, member.slice(0, 64))
  if (issue.type === 'strict_object' && issue.expected !== 'Object')
    throw refused(`Member '${member}' is missing`, member)
  throw refused(sentence, member)
}

/**
 * Reads the body of an endpoint.
 * @param json undefined for a body that is not JSON
 * @throws {Problem} invalid_parameter
 */
export const readBody = <Body>(described: JsonBody<Body>, json: unknown, isEmpty: boolean): Body =>
  described.read === undefined ? readStrict(described.schema, json) : described.read(json, isEmpty)

/**
 * The name of a member after the names of those that contain it, such as `server.maxPlayers`. Items of a list have no
 * names: a member of one is shown as the list.
 */
function memberOf({ path }: v.BaseIssue<unknown>) {
  const names = (path ?? []).map(({ key }) => key)
  const end = names.findIndex((name) => typeof name !== 'string')
  const isOfItem = end >= 0
  return {
    member: names.length === 0 ? undefined : names.slice(0, isOfItem ? end : undefined).join('.'),
    isOfItem,
  }
}
