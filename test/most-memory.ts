import { readdirSync, readFileSync } from 'node:fs'

/** Most resident memory, bytes, of the processes of a group that run now: the sum of what each has had. */
export function mostMemory(group: number | undefined): number {
  let sum = 0
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
    try {
      const [, , itsGroup] = readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')
      if (Number(itsGroup) !== group) continue
      const [, kilobytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
      sum += Number(kilobytes ?? 0) * 1024
    } catch {
      // It has ended.
    }
  return sum
}
