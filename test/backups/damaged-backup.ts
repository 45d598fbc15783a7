/** A backup whose content was damaged on the disk. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { aGame } from '../services/backups/a-game.ts'
import { backupsOf, clover, type SavedFarm } from './saved-farm.ts'

/** Flips one bit in the content of an archive. @param folder `BACKUP_DIR` */
export function damage(folder: string, id: string): void {
  const path = join(folder, `${id}.zip`)
  const bytes = readFileSync(path)
  bytes[100] = (bytes[100] ?? 0) ^ 1
  writeFileSync(path, bytes)
}

/**
 * Makes a backup of a farm and damages it. The next process that opens the folder reads it again, because the index is
 * lost. @returns its id
 */
export async function damagedBackup(farm: SavedFarm): Promise<string> {
  farm.save()
  const game = aGame()
  game.day(clover.date)
  const { port, close } = backupsOf(farm, game.game)
  const { id } = await port.makeBackup()
  await close()
  damage(farm.folder, id)
  rmSync(join(farm.folder, 'index.json'))
  return id
}
