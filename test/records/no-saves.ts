/** The saves of a farm whose folder is not mounted. */
import { farmgateCannot } from '../../handlers/farm-error.ts'
import type { Saves } from '../../handlers/saves.ts'

const refused = () =>
  Promise.reject(farmgateCannot('list the saves: no saves folder is mounted. Set SAVES_DIR'))

export const noSaves: Saves = {
  saves: refused,
  nextSave: refused,
  unexpected: async () => undefined,
  expectSave: refused,
  uploadSave: refused,
  chooseSave: refused,
  startNewFarm: refused,
}
