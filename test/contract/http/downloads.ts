/** One-time addresses of downloads (docs/keys-and-records.md). */
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import type { MadeBackup } from '../../../handlers/backup-record.ts'
import { endpoints } from '../../../handlers/endpoints/all-endpoints.ts'
import { zipOf } from '../../services/mods/farm-mods.ts'
import { eventually } from '../../wait.ts'
import { ask, askWithKey, expectProblem } from '../request.ts'
import type { RuntimeUnderTest } from '../server-under-test.ts'
import { ownServer, sharedServer } from '../shared-server.ts'
import { makeKey } from './made-key.ts'

export function downloadsContract({ start, origin }: RuntimeUnderTest): void {
  describe('the one-time address of a download', () => {
    const server = sharedServer(start)
    let id = ''
    let archive = Buffer.of()
    beforeAll(async () => {
      server().saved.save({ farmName: 'Junimo' })
      ;({ id } = (await askWithKey(server(), 'POST', '/backups')).json as MadeBackup)
      archive = readFileSync(join(server().saved.folder, `${id}.zip`))
      // More than what the sockets hold.
      const noise = { 'Large/noise.bin': randomBytes(24_000_000) }
      const installed = await askWithKey(server(), 'POST', '/mods', {
        headers: { 'Content-Type': 'application/zip' },
        body: new Uint8Array(zipOf({ Large: { id: 'H.Large' } }, noise)),
      })
      expect(installed.status).toBe(201)
    })
    const make = (path: string, key = server().key) =>
      askWithKey({ ...server(), key }, 'POST', '/downloads', { json: { path } })
    const address = async (path: string, key?: string) => {
      const reply = await make(path, key)
      expect(reply.status).toBe(201)
      return (reply.json as { readonly url: string }).url
    }
    const ofPack = (key: string) => address('/mods/pack', key)
    const ofBackup = (key?: string) => address(`/backups/download?id=${id}`, key)
    const open = (url: string, init: RequestInit = {}) => fetch(new URL(url, `${server().url}/`), init)
    const used = async (url: string) =>
      expectProblem(await ask(server(), 'GET', `/${url}`), 404, 'download_not_found')
    const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer())

    test('is relative, ends within a minute, and needs no key', async () => {
      const { status, json } = await make(`/backups/download?id=${id}`)
      expect([status, json]).toEqual([
        201,
        {
          url: expect.stringMatching(/^downloads\/file\?code=[\w-]{43}$/),
          expiresAt: expect.stringMatching(/Z$/),
        },
      ])
      const { url, expiresAt } = json as { readonly url: string; readonly expiresAt: string }
      expect(Date.parse(expiresAt) - Date.now()).toBeLessThanOrEqual(60_000)
      const response = await open(url)
      expect([response.status, (await bytesOf(response)).equals(archive)]).toEqual([200, true])
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-type': 'application/zip',
        'content-length': String(archive.length),
        'content-disposition': `attachment; filename="${id}.zip"`,
      })
    })

    test('is there for every download that needs a key, and answers as it does', async () => {
      const all = endpoints.filter(({ at, stream, access }) => at === 'farm' && stream && access === 'key')
      const paths = all.map(({ path }) => (path === '/backups/download' ? `${path}?id=${id}` : path))
      expect(paths.sort()).toEqual(['/audit/export', `/backups/download?id=${id}`, '/mods/pack', '/support'])
      for (const path of paths) {
        const url = await address(path)
        const headers = { Authorization: `Bearer ${server().key}` }
        const [once, direct] = [await open(url), await fetch(`${server().url}${path}`, { headers })]
        expect([once.status, once.headers.get('content-type')]).toEqual([
          200,
          direct.headers.get('content-type'),
        ])
        expect(once.headers.get('content-disposition')).toMatch(
          /^attachment; filename="[\w-]+\.(zip|jsonl)"$/,
        )
        expect(once.headers.get('content-disposition')).toBe(direct.headers.get('content-disposition'))
        expect((await bytesOf(once)).equals(await bytesOf(direct))).toBe(true)
      }
    })

    test('is used by its first byte: not by HEAD, and not by a refused range', async () => {
      const url = await ofBackup()
      const head = await open(url, { method: 'HEAD' })
      expect([head.status, head.headers.get('content-length')]).toEqual([200, String(archive.length)])
      expect((await open(url, { headers: { Range: 'bytes=999999999-' } })).status).toBe(416)
      const part = await open(url, { headers: { Range: 'bytes=7-' } })
      expect([part.status, (await bytesOf(part)).equals(archive.subarray(7))]).toEqual([206, true])
      await used(url)
      expect((await open(url, { method: 'HEAD' })).status).toBe(404)
      expect((await open(url, { headers: { Range: 'bytes=7-' } })).status).toBe(404)
    })

    test('is good for one of two requests at once', async () => {
      const url = await ofBackup()
      const both = await Promise.all([open(url), open(url)])
      expect(both.map(({ status }) => status).sort()).toEqual([200, 404])
      for (const { body } of both) await body?.cancel()
    })

    test('is made only for a download that its holder may have, and that is there', async () => {
      const { key } = await makeKey(server(), 'read')
      expectProblem(await make(`/backups/download?id=${id}`, key), 403, 'insufficient_scope', {
        scope: 'admin',
      })
      expectProblem(await make('/backups/download?id=none'), 404, 'backup_not_found')
      expectProblem(await make('/backups/download'), 400, 'invalid_parameter', { parameter: 'id' })
      for (const path of ['/keys', '/metrics', '/mods/shared-pack?link=x', '/downloads/file?code=x', 'x', ''])
        expectProblem(await make(path), 400, 'invalid_parameter', { parameter: 'path' })
      expectProblem(await ask(server(), 'POST', '/downloads'), 401, 'unauthorized')
      expectProblem(await ask(server(), 'GET', '/downloads/file?code=none'), 404, 'download_not_found')
      const pack = await open(await address('/mods/pack', key))
      expect(pack.status).toBe(200)
      await pack.body?.cancel()
    })

    test('ends with the key that made it, as a running download does within a second', async () => {
      const { id: ofKey, key } = await makeKey(server(), 'read')
      const [running, waiting] = [await open(await ofPack(key)), await ofPack(key)]
      const reader = running.body?.getReader() ?? expect.fail('no body')
      await reader.read()
      expect((await askWithKey(server(), 'DELETE', `/keys?id=${ofKey}`)).status).toBe(200)
      const rest = async () => {
        while (!(await reader.read()).done);
      }
      // Nothing is read for this time: what the sockets hold may still arrive, and no more.
      await expect(pause(1000).then(rest)).rejects.toThrow()
      await used(waiting)
    })

    test('counts as a download of the key that made it', async () => {
      const [{ key }, other] = [await makeKey(server(), 'read'), await makeKey(server(), 'read')]
      const running: Response[] = []
      while (running.length < 8) running.push(await open(await ofPack(key)))
      expect(running.map(({ status }) => status)).toEqual(running.map(() => 200))
      const url = await ofPack(key)
      const refused = await open(url)
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '10'])
      const ofOther = await open(await ofPack(other.key))
      expect(ofOther.status).toBe(200)
      await ofOther.body?.cancel()
      await running[0]?.body?.cancel()
      // The refused one has not used its address.
      await eventually(async () => {
        const response = await open(url)
        await response.body?.cancel()
        expect(response.status).toBe(200)
      })
      for (const { body } of running.slice(1)) await body?.cancel()
    })

    test('has one row, without the code', async () => {
      const code = (await ofBackup()).replace(/^.*=/, '')
      const { entries } = (await askWithKey(server(), 'GET', '/audit')).json as { entries: object[] }
      expect(entries[0]).toMatchObject({
        action: 'createDownload',
        origin,
        parameters: { path: `/backups/download?id=${id}` },
        outcome: 'done',
        status: 201,
      })
      expect(JSON.stringify(entries)).not.toContain(code)
    })
  })

  test('downloads by one-time addresses leave the allowance for signing in', async () => {
    const server = await ownServer(start, { rates: { anonymous: 2 } })
    const get = async (path: string) => (await ask(server, 'GET', path)).status
    const file = () => get('/downloads/file?code=none')
    expect([await file(), await file(), await file()]).toEqual([404, 404, 429])
    expect([await get('/sign-in'), await get('/sign-in'), await get('/sign-in')]).toEqual([200, 200, 429])
  })
}
