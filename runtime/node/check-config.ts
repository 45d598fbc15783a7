/** Whether the folders and the storage in the environment are usable, for `--check-config` and the doctor. */
import { join } from 'node:path'
import * as v from 'valibot'
import { type EnvironmentProblem, readEnvironment } from '../../lib/environment.ts'
import { copyProblem, nestedProblem, savesProblem } from '../../services/backups/check-places.ts'
import { folderProblem, unwritableProblem } from '../../services/records/check-folder.ts'
import { savesState } from '../../services/saves/saves-folder.ts'
import type { Config, Surroundings } from './config.ts'
import { copyPlaceOf } from './copy-place.ts'
import { variables } from './variables.ts'

const { entries } = variables.schema

/** Milliseconds that each call to the storage may take. */
const callLimit = 10_000
const briefly = { now: Date.now, silence: callLimit, budget: () => callLimit }

/** Tries the storage for copies. @returns undefined where none is set */
export async function tryCopyPlace(
  config: Config,
): Promise<{ readonly place: string; readonly isEncrypted: boolean; readonly problem?: string } | undefined> {
  const found = copyPlaceOf(config, briefly)
  if (found === undefined) return undefined
  const problem = await copyProblem(found.store)
  return {
    place: found.place,
    isEncrypted: found.passphrase !== undefined,
    ...(problem !== undefined && { problem }),
  }
}

/** Whether the saves in a folder can be backed up and restored. @param dir `SAVES_DIR` */
export async function trySaves(
  dir: string,
): Promise<{ readonly problem?: string; readonly isWritable: boolean }> {
  const problem = await savesProblem(dir)
  const isWritable = (await savesState(dir)) === 'mounted'
  return { isWritable, ...(problem !== undefined && { problem }) }
}

/** @returns what is wrong with the folders and the storage of those variables that have a valid value */
export async function placeProblems({
  env,
  readFile,
}: Pick<Surroundings, 'env' | 'readFile'>): Promise<EnvironmentProblem[]> {
  const { text, problems } = readEnvironment(variables, env, readFile)
  const right = (name: keyof typeof entries) =>
    problems.some(({ variable }) => variable.replace(/_FILE$/, '') === name) ? undefined : text(name)
  const dataDir = parsedAs(entries.DATA_DIR, right('DATA_DIR'))
  const savesDir = right('SAVES_DIR')
  const usual = dataDir === undefined || savesDir === undefined ? undefined : join(dataDir, 'backups')
  const backups = right('BACKUP_DIR') ?? usual
  const isSimulated = text('GAME_API_URL') === undefined && text('GAME_BRIDGE') !== 'upstream'
  const place = copyPlaceOf(
    {
      BACKUP_S3_URL: parsedAs(entries.BACKUP_S3_URL, right('BACKUP_S3_URL')),
      BACKUP_S3_ACCESS_KEY_ID: right('BACKUP_S3_ACCESS_KEY_ID'),
      BACKUP_S3_SECRET_ACCESS_KEY: right('BACKUP_S3_SECRET_ACCESS_KEY'),
      BACKUP_S3_REGION: right('BACKUP_S3_REGION'),
      BACKUP_PASSPHRASE: undefined,
    },
    briefly,
  )
  const found: readonly (readonly [variable: string, problem: string | undefined])[] = [
    ['DATA_DIR', dataDir && folderProblem(dataDir)],
    // A simulated farm writes the saves itself, so the folder must be writable.
    [
      'SAVES_DIR',
      savesDir &&
        (isSimulated
          ? unwritableProblem(savesDir, 'the farm would not be saved')
          : await savesProblem(savesDir)),
    ],
    [
      'BACKUP_DIR',
      backups &&
        ((savesDir && nestedProblem(backups, savesDir)) ||
          unwritableProblem(backups, 'no backup could be made')),
    ],
    ['BACKUP_S3_URL', place && cannotBeUsed(await copyProblem(place.store))],
  ]
  return found.flatMap(([variable, problem]) => (problem ? [{ variable, problem }] : []))
}

function parsedAs<Schema extends v.GenericSchema>(
  schema: Schema,
  text: string | undefined,
): v.InferOutput<Schema> | undefined {
  const parsed = v.safeParse(schema, text)
  return parsed.success ? parsed.output : undefined
}

const cannotBeUsed = (why: string | undefined) => why && `cannot be used: ${why}`
