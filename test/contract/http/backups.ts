/** Backups of the save (docs/backups.md). */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { beforeAll, describe, expect, test } from 'vitest'
import type { BackupList } from '../../../handlers/backup-list.ts'
import { type BackupRecord, type GameDay, gameDay, type MadeBackup } from '../../../handlers/backup-record.ts'
import { eventually } from '../../wait.ts'
import { ask, askWithKey, expectProblem } from '../request.ts'
import type { RuntimeUnderTest, ServerUnderTest } from '../server-under-test.ts'
import { ownServer, sharedServer } from '../shared-server.ts'

const farmName = 'Junimo'

const listed = async (server: ServerUnderTest) =>
  (await askWithKey(server, 'GET', '/backups')).json as BackupList
const made = async (server: ServerUnderTest) => {
  const reply = await askWithKey(server, 'POST', '/backups')
  expect(reply.status).toBe((reply.json as MadeBackup).created ? 201 : 200)
  return reply.json as MadeBackup
}

export function backupDownloadContract({ start }: RuntimeUnderTest): void {
  describe('the download of a backup', () => {
    const server = sharedServer(start)
    const fetched = async (id: string, headers: Record<string, string> = {}, method = 'GET') => {
      const { url, key } = server()
      const response = await fetch(`${url}/backups/download?id=${id}`, {
        method,
        headers: { Authorization: `Bearer ${key}`, ...headers },
      })
      return { response, bytes: Buffer.from(await response.arrayBuffer()) }
    }
    let backup: BackupRecord | undefined
    /** Larger than several pieces. */
    const large = async () => {
      if (backup === undefined) {
        server().saved.save({ farmName, bytes: 12_000_000 })
        backup = await made(server())
      }
      const archive = readFileSync(join(server().saved.folder, `${backup.id}.zip`))
      expect(archive.length).toBe(backup.bytes)
      expect(archive.length).toBeGreaterThan(600_000)
      return { id: backup.id, archive }
    }

    test('is the archive, with its length, name and ETag', async () => {
      const { id, archive } = await large()
      const { response, bytes } = await fetched(id)
      expect(response.status).toBe(200)
      expect(bytes.equals(archive)).toBe(true)
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-type': 'application/zip',
        'content-length': String(archive.length),
        'accept-ranges': 'bytes',
        'content-disposition': `attachment; filename="${id}.zip"`,
        etag: `"${id}"`,
        'cache-control': 'no-store',
      })
    })

    test.each([
      ['bytes=196607-196608', 196_607, 196_609],
      ['bytes=400000-', 400_000, undefined],
      ['bytes=-7', -7, undefined],
    ])('%s is 206 with those bytes', async (range, from, end) => {
      const { id, archive } = await large()
      const part = archive.subarray(from, end)
      const { response, bytes } = await fetched(id, { Range: range })
      expect(response.status).toBe(206)
      expect(bytes.equals(part)).toBe(true)
      const first = from < 0 ? archive.length + from : from
      expect(response.headers.get('content-range')).toBe(
        `bytes ${first}-${first + part.length - 1}/${archive.length}`,
      )
      expect(response.headers.get('content-length')).toBe(String(part.length))
    })

    test('bytes=99999999- is 416 with the length', async () => {
      const { id, archive } = await large()
      const { response } = await fetched(id, { Range: 'bytes=99999999-' })
      expect(response.status).toBe(416)
      expect(response.headers.get('content-range')).toBe(`bytes */${archive.length}`)
    })

    test('If-Range with the ETag answers the range, with another the whole', async () => {
      const { id, archive } = await large()
      const asked = async (ifRange: string) =>
        (await fetched(id, { Range: 'bytes=0-9', 'If-Range': ifRange })).bytes.length
      expect(await asked(`"${id}"`)).toBe(10)
      expect(await asked('"another"')).toBe(archive.length)
      expect(await asked(`W/"${id}"`)).toBe(archive.length)
      expect(await asked('Sat, 21 Nov 2026 12:00:00 GMT')).toBe(archive.length)
    })

    test('HEAD is the head of the whole without a body', async () => {
      const { id, archive } = await large()
      const { response, bytes } = await fetched(id, { Range: 'bytes=0-9' }, 'HEAD')
      expect([response.status, bytes.length]).toEqual([200, 0])
      expect(response.headers.get('etag')).toBe(`"${id}"`)
      expect(response.headers.get('content-length')).toBe(String(archive.length))
    })
  })
}

/** Every player leaves. */
async function empty(server: ServerUnderTest): Promise<void> {
  await eventually(async () => {
    const { players } = (await askWithKey(server, 'GET', '/players')).json as {
      players: { id: number | bigint }[]
    }
    for (const { id } of players) await server.farm.leave(BigInt(id))
    expect(players).toEqual([])
  })
}

export function backupsContract({ start }: RuntimeUnderTest): void {
  describe('backups', () => {
    test('without mounted saves none is made, 501 unsupported, and the list still answers', async () => {
      const server = await ownServer(start)
      expect(await listed(server)).toEqual({
        backups: [],
        state: { saves: 'absent', nextAfter: 'game day' },
      })
      expectProblem(await askWithKey(server, 'POST', '/backups'), 501, 'unsupported')
    })

    describe('of a farm', () => {
      const server = sharedServer(start)
      // The current day is backed up automatically, once.
      beforeAll(async () => {
        const { season, day, year } = v.parse(gameDay, (await ask(server(), 'GET', '/status')).json)
        server().saved.save({ farmName, date: { season, day, year } })
        await eventually(async () => expect((await listed(server())).backups).toHaveLength(1))
      })

      test('POST makes one now, which is verified and the first of the list', async () => {
        const { backups: ofToday } = await listed(server())
        server().saved.saveAgain({ farmName })
        const { created, ...backup } = await made(server())
        expect(created).toBe(true)
        expect(backup).toMatchObject({ reason: 'manual', farmName, season: 'summer', day: 5, year: 1 })
        expect(backup.verifiedAt).toMatch(/Z$/)
        expect(await listed(server())).toEqual({
          backups: [backup, ...ofToday],
          state: { saves: 'mounted', lastVerifiedAt: backup.madeAt, nextAfter: 'game day' },
        })
      })

      test('POST of an unchanged save is 200 with the existing backup and created:false', async () => {
        const backup = await made(server())
        const before = await listed(server())
        const reply = await askWithKey(server(), 'POST', '/backups')
        expect([reply.status, reply.json]).toEqual([200, { ...backup, created: false }])
        expect(await listed(server())).toEqual(before)
      })

      test('POST is 409 save_in_progress while a temporary file is in the folder, and makes nothing', async () => {
        const { saved } = server()
        const before = await listed(server())
        const temporary = join(saved.saves, `${farmName}_123456789`, 'SaveGameInfo_STARDEWVALLEYSAVETMP')
        writeFileSync(temporary, '')
        const reply = await askWithKey(server(), 'POST', '/backups')
        expectProblem(reply, 409, 'save_in_progress', { retry: true })
        expect(reply.headers.get('retry-after')).toMatch(/^[0-9]+$/)
        rmSync(temporary)
        expect(await listed(server())).toEqual(before)
      })

      test('POST /backups/restore shows with dryRun what would be lost, and changes nothing', async () => {
        const { saved } = server()
        saved.save({ farmName })
        const { id } = await made(server())
        const before = await listed(server())
        const reply = await askWithKey(server(), 'POST', `/backups/restore?id=${id}&dryRun=true`)
        expect([reply.status, reply.json]).toEqual([
          200,
          { success: true, message: expect.stringMatching(/summer 5, year 1, would be restored; /) },
        ])
        expect([await listed(server()), readdirSync(saved.saves)]).toEqual([
          before,
          [`${farmName}_123456789`],
        ])
      })

      test('POST /backups/restore copies the current save, then replaces it with the backup, whose day the game then plays', async () => {
        const { saved } = server()
        await empty(server())
        const { season, day, year } = (await askWithKey(server(), 'GET', '/status')).json as GameDay
        const main = join(saved.saves, `${farmName}_123456789`, `${farmName}_123456789`)
        saved.save({ farmName, date: { season, day, year } })
        const { id } = await made(server())
        const before = readFileSync(main, 'utf8')
        saved.save({ farmName, date: { season, day, year }, farmhands: ['Newcomer'] })
        const reply = await askWithKey(server(), 'POST', `/backups/restore?id=${id}`)
        const [safety] = (await listed(server())).backups
        expect([reply.status, reply.json]).toEqual([
          200,
          { success: true, message: expect.stringContaining(' is restored; '), safetyBackup: safety?.id },
        ])
        expect([safety?.reason, readFileSync(main, 'utf8')]).toEqual(['before_restore', before])
      })

      test('POST /backups/restore puts the old save back when the game plays another day: 502 restore_undone', async () => {
        const { saved } = server()
        saved.save({ farmName })
        const { id } = await made(server())
        const main = join(saved.saves, `${farmName}_123456789`, `${farmName}_123456789`)
        saved.save({ farmName, farmhands: ['Newcomer'] })
        const before = readFileSync(main, 'utf8')
        await empty(server())
        const reply = await askWithKey(server(), 'POST', `/backups/restore?id=${id}`)
        expectProblem(reply, 502, 'restore_undone')
        expect(readFileSync(main, 'utf8')).toBe(before)
        // The game has not confirmed that it plays the old save, so the note for the next start stays.
        expect(readdirSync(saved.saves)).toEqual(['.farmgate-restore.json', `${farmName}_123456789`])
        expect((await listed(server())).backups[0]).toMatchObject({ reason: 'before_restore' })
      })

      test('POST /backups/restore is 409 players_connected while a player is, and 404 for an unknown id', async () => {
        server().saved.save({ farmName })
        const { id } = await made(server())
        await server().farm.join({ id: 4711n, name: 'Abby' })
        const restore = (one: string) => askWithKey(server(), 'POST', `/backups/restore?id=${one}`)
        await eventually(async () => expectProblem(await restore(id), 409, 'players_connected'))
        await empty(server())
        expectProblem(await restore('nothing'), 404, 'backup_not_found')
      })

      test('DELETE removes one; a second DELETE is 404 backup_not_found, and so is its download', async () => {
        server().saved.save({ farmName })
        const { id } = await made(server())
        const remove = () => askWithKey(server(), 'DELETE', `/backups?id=${id}`)
        expect((await remove()).json).toEqual({ success: true, message: `Backup ${id} is removed` })
        expectProblem(await remove(), 404, 'backup_not_found')
        expectProblem(
          await askWithKey(server(), 'GET', `/backups/download?id=${id}`),
          404,
          'backup_not_found',
        )
        expect((await listed(server())).backups.map((one) => one.id)).not.toContain(id)
      })

      test.each(['../index', '..%2Findex', 'index.json', '%00'])(
        'id %s leads to no other file',
        async (id) => {
          for (const [method, path] of [
            ['GET', '/backups/download'],
            ['DELETE', '/backups'],
          ] as const)
            expectProblem(await askWithKey(server(), method, `${path}?id=${id}`), 404, 'backup_not_found')
        },
      )

      test('the download needs its id and a key', async () => {
        expectProblem(await askWithKey(server(), 'GET', '/backups/download'), 400, 'invalid_parameter', {
          parameter: 'id',
        })
        expectProblem(await ask(server(), 'GET', '/backups/download?id=x'), 401, 'unauthorized')
      })
    })
  })
}
