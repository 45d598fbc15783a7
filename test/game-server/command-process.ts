/** The process of a game under `GAME_HOST=command`, which runs as long as a file exists. */
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newFolder } from '../new-folder.ts'
import { eventually } from '../wait.ts'

export function commandProcess() {
  const folder = newFolder()
  const file = join(folder, 'running')
  writeFileSync(file, '')
  // Only a look of the watchdog counts, which reads no output.
  const look = 'test -e "$1/running" && if test -c /dev/stdout; then touch "$1/looked"; fi'
  return {
    variables: {
      GAME_HOST: 'command',
      GAME_START: JSON.stringify(['touch', file]),
      GAME_STOP: JSON.stringify(['rm', '-f', file]),
      GAME_RUNNING: JSON.stringify(['sh', '-c', look, 'sh', folder]),
    },
    /** Waits until the watchdog has seen it run. */
    looked: () => eventually(() => existsSync(join(folder, 'looked'))),
    end: () => rmSync(file, { force: true }),
  }
}
