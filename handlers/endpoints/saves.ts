import * as v from 'valibot'
import { endpoint } from '../endpoint.ts'
import { unexpectedFarm } from '../expected-farm.ts'
import { nextSave, saveRecord } from '../save-record.ts'
import { uploadSave } from './upload-save.ts'

export const saves = endpoint('GET /saves', {
  at: 'farm',
  scope: 'read',
  tag: 'Saves',
  operationId: 'getSaves',
  summary: "The saves in the game's folder: the active one first, then the last written one",
  result: v.object({
    saves: v.array(saveRecord),
    next: nextSave,
    unexpected: v.optional(unexpectedFarm),
  }),
  example: {
    saves: [{ ...uploadSave.example, active: true }],
    next: { state: 'ok', name: uploadSave.example.name, save: uploadSave.example.name },
  },
  problems: ['unsupported', 'disk_failed'],
  async handle(_request, { saves: port }) {
    const [found, next, unexpected] = await Promise.all([port.saves(), port.nextSave(), port.unexpected()])
    return { saves: [...found], next, ...(unexpected !== undefined && { unexpected }) }
  },
})
