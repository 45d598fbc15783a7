/**
 * A process that restores a backup and kills itself, as `kill -9` does, before a change of the disk. Arguments:
 * `SAVES_DIR`, `BACKUP_DIR`, the id of the backup, the change, and its number among equal ones. It writes a line for each
 * change.
 */
import { beforeEachDiskChange } from './disk-changes.ts'

const [savesDir = '', folder = '', id = '', fatal = '', count = ''] = process.argv.slice(2)
let seen = 0
const change = (words: string) => {
  if (words === fatal) seen += 1
  if (seen === Number(count)) process.kill(process.pid, 'SIGKILL')
  process.stdout.write(`${words}\n`)
}
// Before any module of farmgate is loaded.
const { started } = await import('../services/backups/loading-game.ts')
const { game, port, close } = started({ savesDir, saves: `${savesDir}/Saves`, folder })
const { reload } = game.bridge
game.bridge.reload = async () => {
  change('the game loads')
  return reload()
}
beforeEachDiskChange(({ what, file }) => change(`${what} ${file}`))
await port.restoreBackup(id, false).catch(() => undefined)
await close()
