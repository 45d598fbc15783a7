/** A game that three commands start, stop and look for (`GAME_HOST=command`), and that prints into a file. */
import { execFileSync } from 'node:child_process'
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from '../../services/host/host-variables.ts'

/** A process that only waits; the test writes its output. */
export function commandGame(folder: string) {
  const [pid, log] = [join(folder, 'game.pid'), join(folder, 'game.log')] as const
  writeFileSync(log, '')
  const shell = (script: string): Command => ['/bin/sh', '-c', script, 'game', pid, log]
  const start = 'sleep 1000 & echo $! > "$1"; echo "[SMAPI] Loaded the world, waiting for players" >> "$2"'
  return {
    variables: {
      GAME_HOST: 'command',
      GAME_START: shell(start),
      GAME_STOP: shell('kill "$(cat "$1")"; echo "[SMAPI] Saved and closed" >> "$2"'),
      GAME_RUNNING: shell('kill -0 "$(cat "$1")" 2> /dev/null'),
      GAME_LOG: log,
    } as const,
    begin: () => void execFileSync('/bin/sh', ['-c', start, 'game', pid, log], { stdio: 'ignore' }),
    print: (text: string) => appendFileSync(log, `${text}\n`),
    /** Ends the process unexpectedly. */
    end() {
      try {
        process.kill(Number(readFileSync(pid, 'utf8')))
      } catch {
        // It has already ended, or was never started.
      }
    },
  }
}
