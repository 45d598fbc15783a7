/** A compromised game that keeps writing in `Saves` while farmgate backs up, restores and starts. */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Row } from '../../../bench/measure.ts'
import { withTimeLimit } from '../../../lib/time-limit.ts'
import { readArchive } from '../../../services/archives/read-archive.ts'
import { savedFarm } from '../../backups/saved-farm.ts'
import { name, started, summer } from '../../services/backups/loading-game.ts'
import { atMost, megabyte, none, type Phase } from '../phase.ts'

const program = fileURLToPath(new URL('../subjects/hostile-game.py', import.meta.url))
const secret = 'API_KEY=hidden'
/** Milliseconds for one call. None waits for the game, so only a hanging call takes this long. */
const longest = 60_000
/**
 * So many times longer than its share: races are rare, and this gives ten minutes of them in ten minutes of all phases.
 */
const longer = 12

async function run(seconds: number): Promise<readonly Row[]> {
  const farm = savedFarm()
  const outside = mkdtempSync(join(tmpdir(), 'farmgate-secret-'))
  writeFileSync(join(outside, 'environ'), secret)
  const own = join(farm.saves, name)
  const archives = () => readdirSync(farm.folder).filter((file) => file.endsWith('.zip'))
  const counts: Record<string, number> = {}
  const count = (what: string) => {
    counts[what] = (counts[what] ?? 0) + 1
  }
  const wrong: Record<string, number> = {}
  const call = <Answer>(answer: Promise<Answer>): Promise<Answer | undefined> =>
    withTimeLimit(longest, answer, () => new Error('hangs')).catch((error: unknown) => {
      if (error instanceof Error && error.message === 'hangs') wrong['hangs'] = (wrong['hangs'] ?? 0) + 1
      return undefined
    })
  /** The game saves, with many files in a separate folder. */
  const save = (day: number) => {
    for (const file of readdirSync(farm.saves)) rmSync(join(farm.saves, file), { recursive: true })
    farm.save(summer(day))
    mkdirSync(join(own, 'below'))
    for (let at = 0; at < 300; at += 1) writeFileSync(join(own, 'below', String(at)), String(at))
  }
  mkdirSync(farm.saves, { recursive: true })
  save(5)
  const first = started(farm)
  const { id } = await first.port.makeBackup()
  await first.close()
  const known = new Set([`${id}.zip`])
  let highest = 0
  const before = process.memoryUsage.rss()
  const end = performance.now() + seconds * longer * 1000
  while (performance.now() < end) {
    save(9)
    const hostile = spawn('python3', [program, farm.saves, name, farm.folder, join(outside, 'environ')], {
      stdio: 'ignore',
    })
    // A start, which ends an interrupted restore; backups; a restore.
    const { port, close } = started(farm)
    for (let turn = 0; turn < 4; turn += 1) {
      const made = await call(port.makeBackup())
      count(made === undefined ? 'backups that the game prevented' : 'backups')
      if (made !== undefined) known.add(`${made.id}.zip`)
    }
    const restored = await call(port.restoreBackup(id, false))
    count(restored === undefined ? 'restores that the game prevented' : 'restores')
    await call(close())
    hostile.kill('SIGKILL')
    await new Promise((resolve) => hostile.once('close', resolve))
    highest = Math.max(highest, process.memoryUsage.rss() - before)
    const there = new Set(archives())
    for (const archive of known)
      if (!there.has(archive)) wrong['missing archives'] = (wrong['missing archives'] ?? 0) + 1
    for (const archive of there) {
      if (await holdsSecret(join(farm.folder, archive)))
        wrong['archives with a secret'] = (wrong['archives with a secret'] ?? 0) + 1
      if (archive !== `${id}.zip`) {
        known.delete(archive)
        rmSync(join(farm.folder, archive))
      }
    }
    if (!existsSync(join(outside, 'environ'))) wrong['missing files outside'] = 1
  }
  save(9)
  const last = started(farm)
  const isWell = (await call(last.port.restoreBackup(id, false))) !== undefined
  await last.close()
  farm.remove()
  rmSync(outside, { recursive: true })
  return [
    ...Object.entries(counts).map(([what, measured]) => ({ what, measured: String(measured) })),
    none('archives that are missing or have a secret, and calls that hang', wrong),
    none('restores that fail once the game is well', { failed: isWell ? 0 : 1 }),
    atMost('memory grew', highest / megabyte, 256, ' MB', 1),
  ]
}

/** Whether a file in an archive has the secret; an unreadable one has none. */
async function holdsSecret(path: string): Promise<boolean> {
  let isFound = false
  await readArchive(path, async (_name, content) => {
    for await (const piece of content) isFound ||= piece.includes(secret)
  }).catch(() => undefined)
  return isFound
}

export const hostileGamePhase: Phase = {
  name: 'hostile-game',
  title: 'A game that was taken over, in Saves',
  share: 5,
  run,
}
