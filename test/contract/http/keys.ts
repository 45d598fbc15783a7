/** Named keys (docs/keys-and-records.md): made, listed and revoked. */
import { expect, test } from 'vitest'
import { eventually } from '../../wait.ts'
import { askWithKey, expectProblem } from '../request.ts'
import type { RuntimeUnderTest } from '../server-under-test.ts'
import { sharedServer } from '../shared-server.ts'
import { type Made, makeKey, postKey, revoke } from './made-key.ts'

export function keysContract({ start }: RuntimeUnderTest): void {
  const server = sharedServer(start)
  const as = ({ key }: { readonly key: string }) => ({ ...server(), key })

  test('POST /keys answers 201 with the record and the key, which nothing caches', async () => {
    const reply = await postKey(server(), {
      name: 'Discord bot',
      scopes: ['chat', 'read'],
      expiresInDays: 30,
    })
    expect(reply.headers.get('cache-control')).toBe('no-store')
    expect(reply.json).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{12}$/),
      name: 'Discord bot',
      scopes: ['chat', 'read'],
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
      expiresAt: expect.stringMatching(/^\d{4}-.*Z$/),
      key: expect.stringMatching(/^fg_[0-9a-f]{12}_[\w-]{43}$/),
    })
    const { createdAt, expiresAt } = reply.json as { createdAt: string; expiresAt: string }
    expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(30 * 86_400_000)
  })

  test('a repeated scope is stored once', async () => {
    const { json: made } = await postKey(server(), { name: 'a', scopes: ['chat', 'read', 'chat'] })
    const { id } = made as Made
    const { json: listed } = await askWithKey(server(), 'GET', '/keys')
    expect(made).toMatchObject({ scopes: ['chat', 'read'] })
    expect((listed as { keys: object[] }).keys).toContainEqual(
      expect.objectContaining({ id, scopes: ['chat', 'read'] }),
    )
  })

  test('GET /keys lists the keys that are not revoked, without the keys themselves', async () => {
    const [kept, gone] = [await makeKey(server(), 'control'), await makeKey(server(), 'control')]
    await revoke(server(), gone)
    const { text, json: listed } = await askWithKey(server(), 'GET', '/keys')
    const ids = (listed as { keys: { id: string }[] }).keys.map(({ id }) => id)
    expect([ids.includes(kept.id), ids.includes(gone.id)]).toEqual([true, false])
    expect(text).not.toContain(kept.key)
    expect(text).not.toContain('digest')
  })

  test('GET /keys shows when a key was last used', async () => {
    const one = await makeKey(server(), 'read')
    const lastUsed = async () => {
      const { json: listed } = await askWithKey(server(), 'GET', '/keys')
      const record = (listed as { keys: { id: string; lastUsedAt?: string }[] }).keys.find(
        ({ id }) => id === one.id,
      )
      return record?.lastUsedAt
    }
    expect(await lastUsed()).toBeUndefined()
    await askWithKey(as(one), 'GET', '/players')
    await eventually(async () => expect(await lastUsed()).toMatch(/^\d{4}-.*Z$/))
  })

  test('a revoked key counts as a wrong one, at once; a second revocation is 404 key_not_found', async () => {
    const one = await makeKey(server(), 'read')
    expect((await askWithKey(as(one), 'GET', '/players')).status).toBe(200)
    expect((await revoke(server(), one)).json).toEqual({
      success: true,
      message: `Key ${one.id} is revoked`,
    })
    expectProblem(await askWithKey(as(one), 'GET', '/players'), 401, 'unauthorized')
    expectProblem(await revoke(server(), one), 404, 'key_not_found')
    expectProblem(await revoke(server(), { id: 'x'.repeat(200) }), 404, 'key_not_found')
  })
}
