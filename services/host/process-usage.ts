import { readFile } from 'node:fs/promises'
import type { GameUsage } from '../../handlers/game-host.ts'

/** Ticks in a second of the processor times that Linux shows to programs (`USER_HZ`). */
const ticksPerSecond = 100

/** What `/proc` reports of a process. @throws the error of the file system; there is no `/proc` but on Linux */
export async function processUsage(pid: string): Promise<GameUsage | undefined> {
  const [stat, status] = await Promise.all([
    readFile(`/proc/${pid}/stat`, 'utf8'),
    readFile(`/proc/${pid}/status`, 'utf8'),
  ])
  // The name of the program, in brackets, can have blanks and brackets. The state follows it.
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
    .map(Number)
  const kilobytes = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0)
  if (user === undefined || system === undefined) return undefined
  return {
    cpuSeconds: (user + system) / ticksPerSecond,
    // Pages of files are those of the page cache.
    memory: { used: 1024 * (kilobytes('RssAnon') + kilobytes('RssShmem')) },
  }
}
