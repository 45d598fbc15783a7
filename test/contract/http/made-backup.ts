/** Backups that tests make and list. */
import { expect } from 'vitest'
import type { BackupList, MadeBackup } from '../../../handlers/backup-record.ts'
import { askWithKey } from '../request.ts'
import type { ServerUnderTest } from '../server-under-test.ts'

export const farmName = 'Junimo'

export const listed = async (server: ServerUnderTest) =>
  (await askWithKey(server, 'GET', '/backups')).json as BackupList
export const made = async (server: ServerUnderTest) => {
  const reply = await askWithKey(server, 'POST', '/backups')
  expect(reply.status).toBe((reply.json as MadeBackup).created ? 201 : 200)
  return reply.json as MadeBackup
}
