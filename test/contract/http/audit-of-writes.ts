/** Audit rows of every refused write in the table of endpoints; successful ones are in the contract of the client. */
import { describe, expect, test } from 'vitest'
import { endpoints } from '../../../handlers/endpoints/all-endpoints.ts'
import { askWithKey, expectProblem } from '../request.ts'
import type { RuntimeUnderTest } from '../server-under-test.ts'
import { sharedServer } from '../shared-server.ts'
import { newest } from './audit-page.ts'
import { makeKey } from './made-key.ts'

const writes = endpoints.filter(({ method }) => method !== 'GET')
/** Those that fail without parameters, or with a truncated body. */
const refusable = writes.filter(
  ({ parameters, body }) => body !== undefined || Object.values(parameters).some(({ required }) => required),
)

export function auditOfWritesContract({ start, origin }: RuntimeUnderTest): void {
  describe('audit of every write', () => {
    const server = sharedServer(start)

    test('no write is open to callers without a key, whose writes would have no row; showing an invitation changes nothing', () => {
      const open = writes.filter(({ access }) => access !== 'key')
      expect(open.map(({ operationId }) => operationId)).toEqual(['showInvitation'])
    })

    test('a write that the scope of the key does not allow has one row, in the name of the key', async () => {
      const { id, key } = await makeKey(server(), 'read')
      for (const { method, path, scope, operationId } of writes.filter((one) => one.scope !== undefined)) {
        const requestId = `scope-${operationId}`
        const reply = await askWithKey({ ...server(), key }, method, path, {
          headers: { 'X-Request-Id': requestId },
        })
        expectProblem(reply, 403, 'insufficient_scope', { scope })
        expect(await newest(server())).toMatchObject({
          requestId,
          action: operationId,
          origin,
          key: { id },
          outcome: 'refused',
          status: 403,
        })
      }
    })

    test('an invalid write has one row, and is refused', async () => {
      for (const { method, path, operationId, body } of refusable) {
        const requestId = `invalid-${operationId}`
        const { status } = await askWithKey(server(), method, path, {
          headers: { 'X-Request-Id': requestId, 'Content-Type': 'application/json' },
          ...(body !== undefined && { body: '{' }),
        })
        expect([operationId, status]).toEqual([operationId, 400])
        expect(await newest(server())).toMatchObject({
          requestId,
          action: operationId,
          origin,
          key: { id: 'api_key' },
          outcome: 'refused',
          status: 400,
        })
      }
    })
  })
}
