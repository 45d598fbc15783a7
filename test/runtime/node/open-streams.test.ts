/** Open downloads over slow sockets: whose they are, how many there may be, and when they end. */
import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { maxPiece } from '../../../handlers/backup-record.ts'
import { keyRing } from '../../../lib/key-ring.ts'
import { digestOf, type NamedKey } from '../../../lib/keys.ts'
import { streamLimits } from '../../../runtime/dispatch/open-streams.ts'
import { noBackups } from '../../records/no-backups.ts'
import { farmMods } from '../../services/mods/farm-mods.ts'
import { eventually } from '../../wait.ts'
import { nodeServer } from './node-server.ts'
import { acceptedSockets, openSocket, requestText } from './raw-socket.ts'

const path = '/backups/download?id=one'
const secretOf = (id: string) => `fg_${id}_${'x'.repeat(43)}`
const named = (id: string): NamedKey => ({
  id,
  name: `key ${id}`,
  scopes: ['admin'],
  digest: digestOf(secretOf(id)),
})

/** A farm with a backup that no socket buffer holds, and these keys. */
async function served(ids: readonly string[]) {
  const keys = keyRing({ apiKey: digestOf('the API_KEY'), now: Date.now, used: () => undefined })
  keys.set(ids.map(named))
  const server = await nodeServer({
    server: {
      keys,
      backups: {
        ...noBackups,
        readBackup: async (_id, _from, length) => ({ bytes: 1000 * maxPiece, piece: randomBytes(length) }),
      },
    },
  })
  onTestFinished(() => server.stop())
  const accepted = acceptedSockets()
  const ask = (id: string, method = 'GET') =>
    fetch(`${server.url}${path}`, { method, headers: { Authorization: `Bearer ${secretOf(id)}` } })
  return {
    keys,
    accepted,
    ask,
    /** A download whose client reads its beginning, and no more. */
    async download(id: string): Promise<Socket> {
      const socket = await openSocket(server.port)
      socket.write(requestText(`GET ${path} HTTP/1.1`, `Authorization: Bearer ${secretOf(id)}`))
      const head: Buffer = await new Promise((resolve) => socket.once('data', resolve))
      socket.pause()
      expect(head.toString('latin1')).toMatch(/^HTTP\/1\.1 200 /)
      return socket
    },
    /** Whether one more is refused. */
    async isRefused(id: string): Promise<boolean> {
      const response = await ask(id)
      if (response.status === 200) {
        await response.body?.cancel()
        return false
      }
      expect([response.status, response.headers.get('retry-after')]).toEqual([429, '10'])
      expect(await response.json()).toMatchObject({ code: 'rate_limited' })
      return true
    },
  }
}

test.each([
  ['is revoked', []],
  ['loses its scope', [{ ...named('0a'), scopes: ['read'] as const }]],
])('a download that its client does not read ends when its key %s', async (_how, left) => {
  const { keys, accepted, download } = await served(['0a'])
  await download('0a')
  expect(accepted.map(({ destroyed }) => destroyed)).toEqual([false])
  keys.set(left)
  await eventually(() => expect(accepted.map(({ destroyed }) => destroyed)).toEqual([true]))
})

test('one key uses up its own share only, and has it again when a download ends', async () => {
  const { ask, download, isRefused } = await served(['0a', '0b'])
  const open: Socket[] = []
  for (let count = 0; count < streamLimits.ofHolder.streams; count += 1) open.push(await download('0a'))
  expect(await isRefused('0a')).toBe(true)
  // An answer without a body does not count.
  expect((await ask('0a', 'HEAD')).headers.get('content-length')).toBe(String(1000 * maxPiece))
  expect(await isRefused('0b')).toBe(false)
  open[0]?.destroy()
  await eventually(async () => expect(await isRefused('0a')).toBe(false))
})

test('where all share what there is, each holder still has one download', async () => {
  const { streams } = streamLimits.ofHolder
  const others = Array.from({ length: streamLimits.shared.streams / streams }, (_, at) => `1${at}`)
  const { download, isRefused } = await served([...others, '0a'])
  for (const id of others) for (let count = 0; count < streams; count += 1) await download(id)
  await download('0a')
  expect(await isRefused('0a')).toBe(true)
})

test('a link to the mods is one holder from every address, and its code is in no line of the log', async () => {
  const folder = farmMods()
  onTestFinished(folder.remove)
  folder.put('Mod', { id: 'A.Mod' })
  folder.write('Mods/Mod/noise.bin', randomBytes(24_000_000))
  const { port: mods } = folder.open()
  const server = await nodeServer({ server: { mods, trustProxy: 1 } })
  onTestFinished(() => server.stop())
  const { id, url } = await mods.makePackLink(1, { id: 'k', name: 'a key' })
  const { url: other } = await mods.makePackLink(1, { id: 'k', name: 'a key' })
  let address = 0
  const ask = (link: string) => {
    address += 1
    return fetch(`${server.url}/${link}`, { headers: { 'X-Forwarded-For': `192.0.2.${address}` } })
  }
  const open: Response[] = []
  for (let count = 0; count < streamLimits.ofHolder.streams; count += 1) open.push(await ask(url))
  expect(open.map(({ status }) => status)).toEqual(open.map(() => 200))
  expect((await ask(url)).status).toBe(429)
  const free = await ask(other)
  expect(free.status).toBe(200)
  await mods.revokePackLink(id)
  const cut = () => server.log.filter(({ message }) => message === 'an answer was cut short')
  // Before the clients read on, which can be faster than the next look at the link.
  await eventually(() => cut().length === open.length)
  for (const { body } of open) {
    // No message of a failed check shows 24 MB.
    const read = new Response(body).arrayBuffer().then(
      () => 'whole',
      () => 'cut',
    )
    expect(await read).toBe('cut')
  }
  expect((await ask(url)).status).toBe(404)
  expect((await free.arrayBuffer()).byteLength).toBeGreaterThan(24_000_000)
  expect(cut().length).toBe(open.length)
  for (const link of [url, other]) expect(JSON.stringify(server.log)).not.toContain(link.replace(/^.*=/, ''))
})
