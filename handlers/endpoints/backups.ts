import { backupList } from '../backup-list.ts'
import { endpoint } from '../endpoint.ts'

export const backups = endpoint('GET /backups', {
  at: 'farm',
  scope: 'read',
  tag: 'Backups',
  operationId: 'getBackups',
  summary: "The backups of the farm's save, newest first",
  result: backupList,
  example: {
    backups: [
      {
        id: 'Clover-y1-summer-05-20261121T120000000Z',
        madeAt: '2026-11-21T12:00:00.000Z',
        reason: 'day',
        save: 'Clover_123456789',
        farmName: 'Clover',
        season: 'summer',
        day: 5,
        year: 1,
        bytes: 1_843_221,
        verifiedAt: '2026-11-21T12:00:01.000Z',
        offsite: 'none',
      },
    ],
    state: { saves: 'mounted', lastVerifiedAt: '2026-11-21T12:00:01.000Z', nextAfter: 'game day' },
  },
  problems: ['disk_failed'],
  handle: (_request, { backups }) => backups.backups(),
})
