import type { Backup, Farm } from '../../client/index.ts'
import { exitCodes } from '../outcome/exit-codes.ts'
import { Failure } from '../outcome/failure.ts'

/** The id in the examples of the help. */
export const exampleId = 'Yew-y1-fall-05-20261121T120000000Z'

/** @throws {Failure} the farm has no backup with this id */
export async function foundBackup(farm: Pick<Farm, 'backups'>, id: string): Promise<Backup> {
  const found = (await farm.backups()).backups.find((one) => one.id === id)
  if (found === undefined)
    throw new Failure(exitCodes.notFound, `There is no backup ${id}.`, 'farmgate backups lists them.')
  return found
}
