/** The part of a request that the audit keeps, and how the farm accepts it from the edge. */
import * as v from 'valibot'
import { expect, test } from 'vitest'
import { begunWrite } from '../../../handlers/audit-entry.ts'
import { endpoints } from '../../../handlers/endpoints/all-endpoints.ts'
import { sentQuery } from '../../../handlers/parameter.ts'
import { sentParameters } from '../../../runtime/dispatch/sent-parameters.ts'

/** JSON needs six units for each of its units. */
const longest = '\u0001'.repeat(1000)

const writes = endpoints.filter(({ method }) => method !== 'GET')

test.each(writes.map((endpoint) => [endpoint.operationId, endpoint] as const))(
  'the farm accepts a row of %s from the edge, whatever the request was sent with',
  (action, endpoint) => {
    const query = new URLSearchParams(Object.keys(endpoint.parameters).map((name) => [name, longest]))
    const schema = endpoint.body?.schema
    const members = schema !== undefined && 'entries' in schema ? Object.keys(Object(schema.entries)) : []
    const sent = Object.fromEntries(members.map((name) => [name, longest]))
    const parameters = sentParameters(endpoint, sentQuery(query.toString()), sent)
    const shown = Object.entries(endpoint.body?.audited?.(sent) ?? sent)
      .filter(([, value]) => value !== undefined)
      .map(([name]) => name)
    expect(Object.keys(parameters)).toEqual([...Object.keys(endpoint.parameters), ...shown])
    expect(() =>
      v.parse(begunWrite, { requestId: 'one', address: '192.0.2.7', action, parameters }),
    ).not.toThrow()
  },
)
