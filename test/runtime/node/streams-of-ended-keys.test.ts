/** Long answers whose key expires or loses its scope. */
import { randomBytes } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { maxPiece } from '../../../handlers/backup-record.ts'
import { keyRing } from '../../../lib/key-ring.ts'
import type { NamedKey } from '../../../lib/keys.ts'
import { digestOf } from '../../../lib/keys.ts'
import { memoryRecords } from '../../records/memory-records.ts'
import { noBackups } from '../../records/no-backups.ts'
import { nodeServer } from './node-server.ts'

const key = `fg_0a_${'x'.repeat(43)}`
const holding: NamedKey = { id: '0a', name: 'a key', scopes: ['admin'], digest: digestOf(key) }

const parts = 5

test.each([
  ['/audit/export', 'is revoked', []],
  ['/audit/export', 'loses admin', [{ ...holding, scopes: ['read'] }]],
  ['/backups/download?id=one', 'is revoked', []],
  ['/backups/download?id=one', 'loses admin', [{ ...holding, scopes: ['read'] }]],
] as const)('GET %s is aborted when its key %s', async (path, _what, named) => {
  const second = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  let sent = 0
  /** The second part waits, so that the key changes during the answer. */
  const next = async () => {
    sent += 1
    if (sent !== 2) return
    second.resolve()
    await held.promise
  }
  const ring = keyRing({ apiKey: digestOf('the API_KEY'), now: Date.now, used: () => {} })
  ring.set([holding])
  const server = await nodeServer({
    server: {
      keys: ring,
      records: {
        ...memoryRecords(),
        async audit() {
          await next()
          return { entries: [], ...(sent < parts && { next: '5' }) }
        },
      },
      backups: {
        ...noBackups,
        async readBackup(_id, _from, length) {
          if (length > 0) await next()
          return { bytes: parts * maxPiece, piece: randomBytes(length) }
        },
      },
    },
  })
  onTestFinished(() => server.stop())
  const response = await fetch(`${server.url}${path}`, { headers: { Authorization: `Bearer ${key}` } })
  expect(response.status).toBe(200)
  const body = response.arrayBuffer()
  await second.promise
  ring.set(named)
  held.resolve()
  await expect(body).rejects.toThrow()
  expect(sent).toBe(2)
})
