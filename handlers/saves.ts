/** The port of the saves in the game's folder, in `services/saves/`. Every rejection is a `FarmError`. */
import type { UnexpectedFarm } from './expected-farm.ts'
import type { AskedBy } from './host.ts'
import type { HostOperation, HostRequest } from './host-record.ts'
import type { NewFarm } from './new-farm.ts'
import type { ChosenSave, NextSave, SaveRecord } from './save-record.ts'

/** Maximum of bytes of an upload. */
export const maxUpload = 256 * 1024 ** 2

/** Milliseconds that an upload may take, and the choice of a save or the beginning of a new farm. */
export const saveBudgets = { upload: 1_800_000, choose: 130_000 } as const

interface UploadOptions {
  /** The name of the save to add, where the archive has several. */
  readonly save?: string | undefined
  /** Changes nothing; the answer shows what would be added. */
  readonly isDryRun: boolean
}

/** How the game is stopped for a save that its next start loads. */
export interface RequestedLoad {
  readonly request: HostRequest
  readonly by: AskedBy
}

export interface Saves {
  /** The active one first, then the last written one. @throws {FarmError} unsupported */
  saves(): Promise<readonly SaveRecord[]>
  /** What the next start of the game loads. @throws {FarmError} unsupported */
  nextSave(): Promise<NextSave>
  /** What is wrong with the farm that the game plays, if anything. @throws {FarmError} unavailable */
  unexpected(): Promise<UnexpectedFarm | undefined>
  /** Says that a save is the right one to play. @returns false when there is no such save @throws {FarmError} unsupported */
  expectSave(name: string): Promise<boolean>
  /**
   * Adds a save next to the others, complete or not at all.
   * @param archive a zip; read to its end before anything is changed
   * @throws {FarmError} unsupported, archive_refused, save_exists, saves_locked, disk_low; what reading the archive throws
   */
  uploadSave(archive: AsyncIterable<Uint8Array>, options: UploadOptions): Promise<SaveRecord>
  /**
   * Makes the game load a save.
   * @param hostTo who plays the farmer of a host that is a person: the Steam64 or GOG id of the account, or `server`
   * @param load missing: the game is not stopped for it
   * @returns undefined when there is no such save; the line to type where farmgate has no console to type it
   * @throws {FarmError} unsupported, players_connected, save_in_progress, not_running, saves_locked, save_refused,
   * host_undecided, invalid_argument, operation_running; timeout where the game did not load it in time
   */
  chooseSave(
    name: string,
    hostTo?: string,
    load?: RequestedLoad,
  ): Promise<ChosenSave | { readonly line: string } | undefined>
  /**
   * Begins an operation after which the game plays a new farm, or the present one again.
   * @throws {FarmError} unsupported, operation_running, host_unavailable, settings_changed, settings_file, disk_failed
   */
  startNewFarm(farm: NewFarm, by: AskedBy): Promise<HostOperation>
}
