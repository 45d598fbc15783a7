/** The port of the game server's mods, in `services/mods/`. Every rejection is a `FarmError`. */
import { backupBudgets } from './backups.ts'
import type { Deletion } from './deletion.ts'
import type { InstalledMods, ModList, ModSide, ModUpdate, PackLink, PackLinkRecord } from './mod-record.ts'
import type { SentFile } from './stream.ts'

/**
 * Milliseconds that a change may take: each makes a backup first, and an upload arrives over a slow line. A pack of
 * 1 GiB is compressed before it is sent.
 */
export const modBudgets = { change: backupBudgets.make + 60_000, install: 1_800_000, pack: 130_000 } as const

/**
 * An `id` is that of a mod in any case, or its folder.
 * @throws {FarmError} unsupported without MODS_DIR, and changes without MODS_ACCESS=rw; disk_failed; changes also as a
 * backup does
 */
export interface Mods {
  mods(): Promise<ModList>
  /**
   * Puts the mods of a zip in, each whole or not at all.
   * @param archive read to its end and checked before anything is changed
   * @throws {FarmError} archive_refused, disk_low; what reading the archive throws
   */
  installMods(archive: AsyncIterable<Uint8Array>): Promise<InstalledMods>
  /**
   * Lets the game load a mod at its next start, or not; an equal request changes nothing.
   * @returns false when there is no such mod
   * @throws {FarmError} mod_needed, unless forced; invalid_argument where several folders have it
   */
  enableMod(id: string): Promise<boolean>
  disableMod(id: string, isForced: boolean): Promise<boolean>
  deleteMod(id: string, isForced: boolean): Promise<boolean>
  setModSide(id: string, side: ModSide): Promise<boolean>
  /** A zip of the mods that players need; the same file until one of them changes. @throws {FarmError} disk_low */
  modsPack(): Promise<SentFile>
  /** The links that have not ended, newest first. */
  packLinks(): Promise<readonly PackLinkRecord[]>
  makePackLink(days: number, by: PackLinkRecord['by']): Promise<PackLink>
  revokePackLink(id: string): Promise<Deletion>
  /** The id of the link with this code; undefined when it has ended, or is not one of this farm. */
  packLinkOf(code: string): Promise<string | undefined>
  /** @throws {FarmError} unsupported without MODS_UPDATES; updates_unavailable */
  modUpdates(): Promise<readonly ModUpdate[]>
}
