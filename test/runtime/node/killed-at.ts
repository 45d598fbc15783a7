/**
 * Preloaded into a farmgate (`NODE_OPTIONS`), which it kills as `kill -9` does before a change of the disk. `KILLED_AT`
 * is the change with its number among equal ones, such as `rename SaveGameInfo 1`.
 */
import { beforeEachDiskChange } from '../../backups/disk-changes.ts'

const [, fatal = '', number = ''] = /^(.+) ([0-9]+)$/.exec(process.env['KILLED_AT'] ?? '') ?? []
let seen = 0
beforeEachDiskChange(({ what, file }) => {
  if (`${what} ${file}` !== fatal) return
  seen += 1
  if (seen === Number(number)) process.kill(process.pid, 'SIGKILL')
})
