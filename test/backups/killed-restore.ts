/**
 * A process that restores a backup and kills itself, as `kill -9` does, once the game has loaded it. Arguments:
 * `SAVES_DIR`, `BACKUP_DIR` and the id of the backup.
 */
import { started } from '../services/backups/loading-game.ts'

const [savesDir = '', folder = '', id = ''] = process.argv.slice(2)
const { game, port } = started({ savesDir, saves: `${savesDir}/Saves`, folder })
const { reload } = game.bridge
game.bridge.reload = async () => {
  await reload()
  process.kill(process.pid, 'SIGKILL')
  return ''
}
await port.restoreBackup(id, false)
