/** Mods over HTTP: uploaded, listed, changed, packed. The folders are tested in `test/services/mods/`. */
import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { fromBufferPromise } from 'yauzl'
import { zipOf } from '../../services/mods/farm-mods.ts'
import { ask, askWithKey, expectProblem } from '../request.ts'
import type { RuntimeUnderTest, ServerUnderTest } from '../server-under-test.ts'
import { sharedServer } from '../shared-server.ts'

const headers = { 'Content-Type': 'application/zip' }
const upload = (server: ServerUnderTest, zip: Buffer) =>
  askWithKey(server, 'POST', '/mods', { headers, body: new Uint8Array(zip) })
const send = (server: ServerUnderTest, method: string, path: string, json: object) =>
  askWithKey(server, method, path, { json })
/** The files of a zip. */
async function unpacked(response: Response): Promise<Record<string, string>> {
  const zip = await fromBufferPromise(Buffer.from(await response.arrayBuffer()))
  const files: Record<string, string> = {}
  for await (const entry of zip.eachEntry()) {
    const pieces: Buffer[] = []
    for await (const piece of await zip.openReadStreamPromise(entry)) pieces.push(piece)
    files[entry.fileName] = Buffer.concat(pieces).toString('latin1')
  }
  return files
}

async function readAll(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  while (!(await reader.read()).done);
}

export function modsContract({ start, origin }: RuntimeUnderTest): void {
  describe('mods', () => {
    const server = sharedServer(start)
    const rows = async () =>
      ((await askWithKey(server(), 'GET', '/audit')).json as { entries: { action: string }[] }).entries

    test('a zip of several megabytes is installed, with one row in the audit', async () => {
      const zip = zipOf({ Large: { id: 'H.Large' } }, { 'Large/assets/noise.bin': randomBytes(5_000_000) })
      const made = await upload(server(), zip)
      expect([made.status, made.json]).toEqual([
        201,
        { installed: [{ id: 'H.Large', name: 'Large', version: '1.0.0', folder: 'Large' }], replaced: [] },
      ])
      const [row, ...others] = (await rows()).filter(({ action }) => action === 'installMods')
      expect(row).toMatchObject({ origin, outcome: 'done', status: 201 })
      expect(others).toEqual([])
    })

    test('a body that is not a zip is 400 archive_refused, one of another type 415', async () => {
      expectProblem(await upload(server(), Buffer.from('x')), 400, 'archive_refused')
      expectProblem(await askWithKey(server(), 'POST', '/mods', { body: 'x' }), 415, 'unsupported_media_type')
    })

    test('a mod that others need is 409 with neededBy, unless forced', async () => {
      const zip = zipOf({ Base: { id: 'H.Base' }, Pack: { id: 'H.Pack', contentFor: 'H.Base' } })
      expect((await upload(server(), zip)).status).toBe(201)
      for (const [method, path] of [
        ['POST', '/mods/disable?id=h.base'],
        ['DELETE', '/mods?id=H.Base'],
      ] as const)
        expectProblem(await askWithKey(server(), method, path), 409, 'mod_needed', { neededBy: ['H.Pack'] })
      const done = await askWithKey(server(), 'POST', '/mods/disable?id=h.base&force=true')
      expect([done.status, done.json]).toEqual([200, { success: true, message: 'h.base is disabled' }])
      const disabled = (await rows()).filter(({ action }) => action === 'disableMod')
      expect(disabled).toMatchObject([{ outcome: 'done' }, { status: 409 }])
      expect((await askWithKey(server(), 'GET', '/mods')).json).toMatchObject({
        mods: expect.arrayContaining([
          expect.objectContaining({
            id: 'H.Pack',
            problems: [expect.objectContaining({ code: 'dependency_disabled', of: 'H.Base' })],
          }),
        ]),
      })
    })

    test('the pack has the mods of players with their checksums, and names those of which that is unknown', async () => {
      const zip = zipOf(
        { 'P/For players': { id: 'P.Players' }, 'P/Server': { id: 'P.Server' }, 'P/Open': { id: 'P.Open' } },
        { 'P/For players/config.json': 'secret', 'P/For players/a/b.txt': 'b' },
      )
      expect((await upload(server(), zip)).status).toBe(201)
      await send(server(), 'PATCH', '/mods?id=P.Players', { side: 'players' })
      await send(server(), 'PATCH', '/mods?id=P.Server', { side: 'server' })
      const { url, key } = server()
      const response = await fetch(`${url}/mods/pack`, { headers: { Authorization: `Bearer ${key}` } })
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/zip'])
      const { SHA256SUMS: sums = '', 'README.txt': words, ...files } = await unpacked(response)
      const names = Object.keys(files).filter((path) => path.startsWith('P/'))
      expect(names.sort()).toEqual([
        'P/For players/Mod.dll',
        'P/For players/a/b.txt',
        'P/For players/manifest.json',
        'P/Open/Mod.dll',
        'P/Open/manifest.json',
      ])
      for (const [path, content] of Object.entries(files))
        expect(sums).toContain(`${createHash('sha256').update(content, 'latin1').digest('hex')}  ${path}\n`)
      expect(words).toContain('- Open')
      expect(words).not.toContain('- Players')
    })

    test('a link to the pack needs no key; another code, and none, is refused', async () => {
      const { url } = server()
      const made = await send(server(), 'POST', '/mods/pack-links', { expiresInDays: 7 })
      const link = made.json as { readonly url: string; readonly expiresAt: string }
      expect(made.status).toBe(201)
      const days = (Date.parse(link.expiresAt) - Date.now()) / 86_400_000
      expect(Math.round(days)).toBe(7)
      const response = await fetch(new URL(link.url, `${url}/`))
      expect([response.status, Object.keys(await unpacked(response))]).toEqual([
        200,
        expect.arrayContaining(['SHA256SUMS']),
      ])
      expectProblem(await ask(server(), 'GET', '/mods/shared-pack?link=abc'), 404, 'pack_link_not_found')
      expectProblem(await ask(server(), 'GET', '/mods/shared-pack'), 400, 'invalid_parameter', {
        parameter: 'link',
      })
      expectProblem(await ask(server(), 'GET', '/mods/pack'), 401, 'unauthorized')
      const code = link.url.replace(/^.*=/, '')
      expect(JSON.stringify(await rows())).not.toContain(code)
    })

    test('the pack is one file with its length, in ranges too, until a mod changes', async () => {
      expect((await upload(server(), zipOf({ Kept: { id: 'K.Kept' } }))).status).toBe(201)
      const { url, key } = server()
      const pack = (more: Record<string, string> = {}, method = 'GET') =>
        fetch(`${url}/mods/pack`, { method, headers: { Authorization: `Bearer ${key}`, ...more } })
      const [one, other] = await Promise.all([pack(), pack()])
      const etag = one.headers.get('etag') ?? ''
      const whole = Buffer.from(await one.arrayBuffer())
      expect(one.headers.get('content-length')).toBe(String(whole.length))
      expect([other.headers.get('etag'), Buffer.from(await other.arrayBuffer())]).toEqual([etag, whole])
      expect((await pack({}, 'HEAD')).headers.get('etag')).toBe(etag)
      const part = await pack({ Range: 'bytes=100-', 'If-Range': etag })
      expect([part.status, part.headers.get('content-range')]).toEqual([
        206,
        `bytes 100-${whole.length - 1}/${whole.length}`,
      ])
      expect(Buffer.from(await part.arrayBuffer())).toEqual(whole.subarray(100))
      const beyond = await pack({ Range: `bytes=${whole.length}-` })
      expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, `bytes */${whole.length}`])
      await askWithKey(server(), 'POST', '/mods/disable?id=K.Kept')
      const changed = await pack({ Range: 'bytes=100-', 'If-Range': etag })
      expect([changed.status, changed.headers.get('etag') === etag]).toEqual([200, false])
      await changed.body?.cancel()
    })

    test('links are listed newest first without their codes; a revoked one ends, and its download with it', async () => {
      const noise = { 'Big/noise.bin': randomBytes(24_000_000) }
      expect((await upload(server(), zipOf({ Big: { id: 'B.Big' } }, noise))).status).toBe(201)
      const make = async () =>
        (await send(server(), 'POST', '/mods/pack-links', { expiresInDays: 1 })).json as {
          readonly id: string
          readonly url: string
          readonly expiresAt: string
        }
      const [first, second] = [await make(), await make()]
      const listed = async () => (await askWithKey(server(), 'GET', '/mods/pack-links')).json
      const shown = ({ id, expiresAt }: typeof first) => ({
        ...{ id, expiresAt, createdAt: expect.any(String) },
        by: { id: 'api_key', name: 'API_KEY' },
      })
      const { links } = (await listed()) as { readonly links: readonly object[] }
      expect(links.slice(0, 2)).toEqual([shown(second), shown(first)])
      const shared = ({ url }: typeof first) => fetch(new URL(url, `${server().url}/`))
      const response = await shared(first)
      expect(response.status).toBe(200)
      const reader = response.body?.getReader() ?? expect.fail('no body')
      await reader.read()
      const ended = await askWithKey(server(), 'DELETE', `/mods/pack-links?id=${first.id}`)
      expect([ended.status, ended.json]).toEqual([
        200,
        { success: true, message: `Pack link ${first.id} is revoked` },
      ])
      // Nothing is read for this time: what the sockets hold may still arrive, and no more.
      await expect(pause(1000).then(() => readAll(reader))).rejects.toThrow()
      expect((await shared(first)).status).toBe(404)
      const again = await askWithKey(server(), 'DELETE', `/mods/pack-links?id=${first.id}`)
      expectProblem(again, 404, 'pack_link_not_found')
      expect(await listed()).not.toMatchObject({ links: expect.arrayContaining([shown(first)]) })
      const row = (await rows()).find(({ action }) => action === 'revokePackLink')
      expect(row).toMatchObject({ parameters: { id: first.id } })
      const other = await shared(second)
      expect(other.status).toBe(200)
      await other.body?.cancel()
    })

    test('a key has eight downloads at a time, which end when it is revoked', async () => {
      const noise = { 'Large/noise.bin': randomBytes(24_000_000) }
      expect((await upload(server(), zipOf({ Large: { id: 'B.Large' } }, noise))).status).toBe(201)
      const made = await send(server(), 'POST', '/keys', { name: 'many downloads', scopes: ['read'] })
      const { id, key } = made.json as { readonly id: string; readonly key: string }
      const pack = () => fetch(`${server().url}/mods/pack`, { headers: { Authorization: `Bearer ${key}` } })
      const open: Response[] = []
      while (open.length < 8) open.push(await pack())
      expect(open.map(({ status }) => status)).toEqual(open.map(() => 200))
      const refused = await pack()
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '10'])
      expect(await refused.json()).toMatchObject({ code: 'rate_limited' })
      expect((await askWithKey(server(), 'DELETE', `/keys?id=${id}`)).status).toBe(200)
      for (const { body } of open) await expect(new Response(body).arrayBuffer()).rejects.toThrow()
    })

    test('updates are 501 that names MODS_UPDATES where they are not set up', async () => {
      const refused = await askWithKey(server(), 'GET', '/mods/updates')
      expectProblem(refused, 501, 'unsupported')
      expect(refused.text).toContain('MODS_UPDATES')
    })
  })
}
