/** Reads the audit as a client. */
import { expect } from 'vitest'
import { askWithKey } from '../request.ts'
import type { ServerUnderTest } from '../server-under-test.ts'

export interface Entry {
  readonly id: string
  readonly requestId: string
  readonly action: string
  readonly parameters: Readonly<Record<string, unknown>>
  readonly outcome: string
}

export const pageOf = async (server: ServerUnderTest, query = '') => {
  const reply = await askWithKey(server, 'GET', `/audit${query}`)
  expect(reply.status).toBe(200)
  return reply.json as { readonly entries: readonly Entry[]; readonly next?: string }
}
export const newest = async (server: ServerUnderTest) => (await pageOf(server, '?limit=1')).entries[0]
