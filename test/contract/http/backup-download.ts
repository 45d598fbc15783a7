/** The download of a backup (docs/backups.md). */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { BackupRecord } from '../../../handlers/backup-record.ts'
import type { RuntimeUnderTest } from '../server-under-test.ts'
import { sharedServer } from '../shared-server.ts'
import { farmName, made } from './made-backup.ts'

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
      ['bytes=0-0', 0, 1],
      ['bytes=5-9', 5, 10],
      ['bytes=196607-196608', 196_607, 196_609],
      ['bytes=400000-', 400_000, undefined],
      ['bytes=-7', -7, undefined],
      ['bytes=10-99999999999', 10, undefined],
      ['bytes=-99999999999', 0, undefined],
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

    test.each(['bytes=99999999-', 'bytes=-0'])('%s is 416 with the length', async (range) => {
      const { id, archive } = await large()
      const { response } = await fetched(id, { Range: range })
      expect(response.status).toBe(416)
      expect(response.headers.get('content-range')).toBe(`bytes */${archive.length}`)
    })

    test.each(['bytes=9-5', 'bytes=0-1,4-5', 'lines=1-2', 'bytes=x-y', 'bytes=-'])(
      '%s is not a range that can be answered: 200 with the whole',
      async (range) => {
        const { id, archive } = await large()
        const { response, bytes } = await fetched(id, { Range: range })
        expect([response.status, bytes.length]).toEqual([200, archive.length])
      },
    )

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
