/** Answers that fail after they have begun: downloads, exports. */
import { randomBytes } from 'node:crypto'
import { expect, onTestFinished, test, vi } from 'vitest'
import { maxPiece } from '../../../handlers/backup-record.ts'
import { FarmError } from '../../../handlers/farm-error.ts'
import { keyRing } from '../../../lib/key-ring.ts'
import { digestOf, type NamedKey } from '../../../lib/keys.ts'
import type { ServerOptions } from '../../../runtime/node/server.ts'
import { suiteKey } from '../../contract/server-under-test.ts'
import { memoryRecords } from '../../records/memory-records.ts'
import { noBackups } from '../../records/no-backups.ts'
import { eventually } from '../../wait.ts'
import { nodeServer } from './node-server.ts'
import { acceptedSockets, openSocket, requestText } from './raw-socket.ts'

const parts = 5
const headers = { Authorization: `Bearer ${suiteKey}` }

/** @param next called before each part; the first part is made in any case */
async function serverWith(next: () => Promise<void>, more: Partial<ServerOptions> = {}) {
  const server = await nodeServer({
    server: {
      ...more,
      records: {
        ...memoryRecords(),
        async audit({ before }) {
          if (before !== undefined) await next()
          return { entries: [], next: '5' }
        },
      },
      backups: {
        ...noBackups,
        async readBackup(_id, from, length) {
          if (from > 0) await next()
          return { bytes: parts * maxPiece, piece: randomBytes(length) }
        },
      },
    },
  })
  onTestFinished(() => server.stop())
  const written = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  const reported = vi.spyOn(console, 'info').mockImplementation(() => undefined)
  onTestFinished(() => {
    expect([...written.mock.calls, ...reported.mock.calls]).toEqual([])
    vi.restoreAllMocks()
  })
  const brokenOff = () => server.log.filter(({ message }) => message === 'an answer was cut short')
  return { server, brokenOff }
}

const lost = () => Promise.reject(new FarmError({ kind: 'unavailable' }))

const paths = ['/audit/export', '/backups/download?id=one'] as const

test.each(paths)(
  'an interrupted GET %s is cut, so that no client takes it for whole, and logged in one line; nothing else is written',
  async (path) => {
    const { server, brokenOff } = await serverWith(lost)
    const response = await fetch(`${server.url}${path}`, { headers })
    expect(response.status).toBe(200)
    await expect(response.arrayBuffer()).rejects.toThrow()
    expect(brokenOff()).toEqual([
      {
        level: 'warn',
        message: 'an answer was cut short',
        fields: expect.objectContaining({
          requestId: response.headers.get('X-Request-Id'),
          path: path.split('?')[0],
          cause: { kind: 'unavailable' },
        }),
      },
    ])
    expect((await fetch(`${server.url}/health`)).status).toBe(200)
  },
)

test.each(paths)(
  'an interrupted GET %s is reset for HTTP/1.0, which has no other sign of it',
  async (path) => {
    const { server } = await serverWith(lost)
    const socket = await openSocket(server.port)
    const ended = new Promise((resolve) => {
      socket.once('end', () => resolve('end'))
      socket.once('error', (error) => resolve(Reflect.get(error, 'code')))
    })
    socket.resume()
    socket.write(requestText(`GET ${path} HTTP/1.0`, `Authorization: Bearer ${suiteKey}`))
    expect(await ended).toBe('ECONNRESET')
  },
)

test.each(paths)('GET %s that its client leaves is not logged as interrupted', async (path) => {
  const reached = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<void>()
  const { server, brokenOff } = await serverWith(async () => {
    reached.resolve()
    await held.promise
    ended.resolve()
    return lost()
  })
  const sockets = acceptedSockets()
  const leaving = new AbortController()
  const response = await fetch(`${server.url}${path}`, { headers, signal: leaving.signal })
  const body = response.arrayBuffer()
  await reached.promise
  leaving.abort()
  await expect(body).rejects.toThrow()
  await eventually(() => expect(sockets.every(({ closed }) => closed)).toBe(true))
  held.resolve()
  await ended.promise
  expect((await fetch(`${server.url}/health`)).status).toBe(200)
  expect(brokenOff()).toEqual([])
})

const key = `fg_0a_${'x'.repeat(43)}`
const holding: NamedKey = { id: '0a', name: 'a key', scopes: ['admin'], digest: digestOf(key) }

test.each([
  ['/audit/export', 'is revoked', []],
  ['/audit/export', 'loses admin', [{ ...holding, scopes: ['read'] }]],
  ['/backups/download?id=one', 'is revoked', []],
  ['/backups/download?id=one', 'loses admin', [{ ...holding, scopes: ['read'] }]],
] as const)('GET %s is aborted when its key %s', async (path, _what, named) => {
  const reached = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  let asked = 0
  const keys = keyRing({ apiKey: digestOf('the API_KEY'), now: Date.now, used: () => {} })
  keys.set([holding])
  // The second part waits, so that the key changes during the answer.
  const next = async () => {
    asked += 1
    reached.resolve()
    await held.promise
  }
  const { server } = await serverWith(next, { keys })
  const response = await fetch(`${server.url}${path}`, { headers: { Authorization: `Bearer ${key}` } })
  expect(response.status).toBe(200)
  const body = response.arrayBuffer()
  await reached.promise
  keys.set(named)
  held.resolve()
  await expect(body).rejects.toThrow()
  expect(asked).toBe(1)
})
