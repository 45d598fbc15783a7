import { endpoint } from '../endpoint.ts'
import { boolean, optional, shortText } from '../parameter.ts'
import { saveRecord } from '../save-record.ts'
import { maxUpload, saveBudgets } from '../saves.ts'

export const uploadSave = endpoint('POST /saves', {
  at: 'farm',
  scope: 'admin',
  tag: 'Saves',
  operationId: 'uploadSave',
  summary: 'Adds a save next to the others; it never replaces one',
  parameters: {
    save: optional(
      shortText(128, {
        description: 'The name of the save, where the archive has several',
        example: 'Clover_123456789',
      }),
    ),
    dryRun: optional(
      boolean({ description: 'Changes nothing, and answers what would be added', example: 'true' }),
    ),
  },
  upload: {
    type: 'application/zip',
    maxBytes: maxUpload,
    description: "A backup of farmgate, one of SMAPI's, or a zip of a player's own save",
  },
  status: 201,
  existed: (_save, { dryRun }) => dryRun === true,
  result: saveRecord,
  example: {
    name: 'Clover_123456789',
    farmName: 'Clover',
    season: 'summer',
    day: 5,
    year: 1,
    people: ['Server', 'Abby'],
    host: { name: 'Server', isServer: true },
    bytes: 4_194_304,
    savedAt: '2026-11-21T05:00:00.000Z',
    active: false,
  },
  budget: saveBudgets.upload,
  problems: [
    'malformed_request',
    'archive_refused',
    'save_exists',
    'saves_locked',
    'unsupported',
    'disk_low',
    'disk_failed',
  ],
  handle: ({ upload, query: { save, dryRun = false } }, { saves: port }) =>
    port.uploadSave(upload, { save, isDryRun: dryRun }),
})
