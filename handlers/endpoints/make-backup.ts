import { madeBackup } from '../backup-record.ts'
import { backupBudgets } from '../backups.ts'
import { docs } from '../described.ts'
import { endpoint } from '../endpoint.ts'

export const makeBackup = endpoint('POST /backups', {
  at: 'farm',
  scope: 'control',
  tag: 'Backups',
  operationId: 'makeBackup',
  summary: docs(
    "Makes a backup of the farm's save now and reads it back; 200 with the existing backup where the save has not changed since",
  ),
  status: 201,
  existed: ({ created }) => !created,
  result: madeBackup,
  example: docs({
    id: 'Clover-y1-summer-05-20261121T120000000Z',
    madeAt: '2026-11-21T12:00:00.000Z',
    reason: 'manual',
    save: 'Clover_123456789',
    farmName: 'Clover',
    season: 'summer',
    day: 5,
    year: 1,
    bytes: 1_843_221,
    verifiedAt: '2026-11-21T12:00:01.000Z',
    offsite: 'none',
    created: true,
  }),
  budget: backupBudgets.make,
  problems: ['save_in_progress', 'unsupported', 'disk_failed', 'disk_low'],
  handle: (_request, { backups }) => backups.makeBackup(),
})
