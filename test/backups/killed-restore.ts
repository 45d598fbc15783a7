/**
 * A process that restores a backup and kills itself, as `kill -9` does, before a change of the disk. Arguments:
 * `SAVES_DIR`, `BACKUP_DIR`, the id of the backup, the change, its number among equal ones, and the task: `restore`;
 * `undone`, where the game loads the backup and does not say so; or `start`, which ends a killed restore. It writes a
 * line for each change.
 */
import { existsSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { beforeEachDiskChange } from './disk-changes.ts'

const [savesDir = '', folder = '', id = '', fatal = '', count = '', what = 'restore'] = process.argv.slice(2)
let seen = 0
const change = (words: string) => {
  if (words === fatal) seen += 1
  if (seen === Number(count)) process.kill(process.pid, 'SIGKILL')
  process.stdout.write(`${words}\n`)
}
// Before any module of farmgate is loaded.
const { started } = await import('../services/backups/loading-game.ts')
const isStart = what === 'start'
if (isStart) beforeEachDiskChange(({ what, file }) => change(`${what} ${file}`))
const { game, port, close } = started({ savesDir, saves: `${savesDir}/Saves`, folder })
const { reload } = game.bridge
game.bridge.reload = async () => {
  change('the game loads')
  const loaded = await reload()
  if (what === 'undone' && game.loads === 1) throw new Error('no answer')
  return loaded
}
if (isStart) while (existsSync(`${savesDir}/Saves/.farmgate-restore.json`)) await setTimeout(10)
else {
  beforeEachDiskChange(({ what, file }) => change(`${what} ${file}`))
  await port.restoreBackup(id, false).catch(() => undefined)
}
await close()
