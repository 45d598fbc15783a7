import * as v from 'valibot'
import { endpoint } from '../endpoint.ts'
import { shortText } from '../parameter.ts'
import { Problem } from '../problem.ts'

/** Also of `GET /backups/download`. */
export const backupId = {
  id: shortText(128, {
    description: 'The id, as GET returns it',
    example: 'Clover-y1-summer-05-20261121T120000000Z',
  }),
}

export const deleteBackup = endpoint('DELETE /backups', {
  at: 'farm',
  scope: 'admin',
  tag: 'Backups',
  operationId: 'deleteBackup',
  summary: 'Removes a backup from the disk',
  parameters: backupId,
  result: v.object({ success: v.literal(true), message: v.string() }),
  example: { success: true, message: 'Backup Clover-y1-summer-05-20261121T120000000Z is removed' },
  problems: ['backup_not_found', 'disk_failed'],
  async handle({ query: { id } }, { backups }) {
    if (!(await backups.removeBackup(id))) throw new Problem('backup_not_found', 'Backup not found')
    return { success: true as const, message: `Backup ${id} is removed` }
  },
})
