/** The whole settings file, so that a failed new farm can restore it. */
import { FarmError } from '../../handlers/farm-error.ts'
import type { SettingsPatch } from '../../handlers/settings-change.ts'
import type { OneAtATime } from '../../lib/one-at-a-time.ts'
import { merge } from './change-settings.ts'
import { readSettingsFile } from './settings-file.ts'

/**
 * @param path of the file (`SETTINGS_PATH`)
 * @param changes the queue of all who replace this file: its temporary file has one name
 */
export const newWorldSettings = (path: string, changes: OneAtATime) => ({
  /** The whole file. @throws {FarmError} settings_file, unsupported */
  read: async (): Promise<string> => (await readSettingsFile(path)).text,
  /** Changes nothing. @throws {FarmError} settings_file, unsupported: it cannot be replaced */
  checkWritable: (): Promise<void> => changes.run(async () => (await readSettingsFile(path)).checkWritable()),
  /** The name of the farm that the game creates with this text. @throws {FarmError} settings_file */
  farmName: (text: string): string => merge(text, {}).settings.game.farmName,
  /** The text of the file with the members of a patch. @throws {FarmError} settings_file */
  merged: (text: string, patch: SettingsPatch): string => merge(text, patch).text,
  /**
   * Replaces the whole file, unless that is done already.
   * @throws {FarmError} settings_changed where it is neither text; settings_file, unsupported
   */
  replace: (from: string, to: string): Promise<void> =>
    changes.run(async () => {
      const { text, replace } = await readSettingsFile(path)
      if (text === to) return
      if (text !== from) throw new FarmError({ kind: 'settings_changed' })
      await replace(to)
    }),
})
