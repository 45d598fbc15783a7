import * as v from 'valibot'
import { endpoint } from '../endpoint.ts'
import { saveRecord } from '../save-record.ts'
import { uploadSave } from './upload-save.ts'

export const saves = endpoint('GET /saves', {
  at: 'farm',
  scope: 'read',
  tag: 'Saves',
  operationId: 'getSaves',
  summary: "The saves in the game's folder: the active one first, then the last written one",
  result: v.object({ saves: v.array(saveRecord) }),
  example: {
    saves: [{ ...uploadSave.example, active: true }],
  },
  problems: ['unsupported', 'disk_failed'],
  handle: async (_request, { saves: port }) => ({ saves: [...(await port.saves())] }),
})
