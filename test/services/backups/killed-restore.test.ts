/** `kill -9` at each step of a restore, and the start after it. */
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import type { LogLine } from '../../logs.ts'
import { eventually } from '../../wait.ts'
import { farmToRestore, restoreUntil } from './farm-to-restore.ts'
import { name, started } from './loading-game.ts'

/** A farm at day 9, with a backup of day 5. */
async function setUp() {
  const farm = farmToRestore()
  const { id, close } = await farm.atDay9()
  await close()
  return { ...farm, id }
}

/** Each change of the disk, with its number among equal ones. A new file is written at once. */
function stepsOf(changes: readonly string[]) {
  const steps = changes.filter((change) => !/^(sync|make) /.test(change))
  return steps.map(
    (change, at) => [change, steps.slice(0, at + 1).filter((one) => one === change).length] as const,
  )
}

/** Except those of the thread that unpacks. The day after the next start, and the log line about the killed process. */
type End = readonly [change: string, count: number, day: 5 | 9, log: 'undone' | 'finished' | 'nothing']

const ends: readonly End[] = [
  ['folder .farmgate-restore-new', 1, 9, 'nothing'],
  ['folder .unpacked', 1, 9, 'nothing'],
  [`rename ${name}`, 1, 9, 'nothing'],
  ['write unfinished archive', 1, 9, 'nothing'],
  ['rename archive', 1, 9, 'nothing'],
  ['write .index.json.new', 1, 9, 'nothing'],
  ['rename index.json', 1, 9, 'nothing'],
  ['write .farmgate-restore.json.new', 1, 9, 'nothing'],
  ['rename .farmgate-restore.json', 1, 9, 'nothing'],
  ['rename .farmgate-restore-old', 1, 9, 'undone'],
  [`rename ${name}`, 2, 9, 'undone'],
  ['the game loads', 1, 9, 'undone'],
  ['write .farmgate-restore.json.new', 2, 9, 'undone'],
  ['rename .farmgate-restore.json', 2, 9, 'undone'],
  [`remove ${name}_old`, 1, 5, 'finished'],
  ['remove SaveGameInfo', 1, 5, 'finished'],
  [`remove ${name}`, 1, 5, 'finished'],
  ['remove SaveGameInfo_old', 1, 5, 'finished'],
  ['remove .farmgate-restore-old', 1, 5, 'finished'],
  ['remove .unpacked', 1, 5, 'finished'],
  ['remove .farmgate-restore-new', 1, 5, 'finished'],
  ['remove .farmgate-restore.json', 1, 5, 'finished'],
]

const lines = {
  undone: ['a restore was interrupted and is undone: the save is as before it'],
  finished: ['a restore was interrupted and is finished: the restored save stays'],
  nothing: [],
}

test.each(ends)(
  'farmgate killed in a restore, before it would %s (%i), leaves day %i, and the next start says: %s',
  async (change, count, expected, log) => {
    const { saved, id, day } = await setUp()
    expect((await restoreUntil(saved, id, change, count)).isKilled).toBe(true)
    expect(readdirSync(saved.saves).filter((one) => one !== name && !one.startsWith('.'))).toEqual([])
    const reported: LogLine[] = []
    const next = started(saved, reported)
    // The port answers a restore only after the start has handled the leftovers.
    await next.port.restoreBackup(id, true)
    expect(reported.filter(({ level }) => level !== 'info').map(({ message }) => message)).toEqual(lines[log])
    await eventually(async () => {
      expect([day(), readdirSync(saved.saves)]).toEqual([expected, [name]])
      const { backups } = await next.port.backups()
      expect(backups.filter(({ verifiedAt }) => verifiedAt === undefined)).toEqual([])
    })
    expect(readdirSync(saved.folder).filter((one) => one.startsWith('.making-'))).toEqual([])
    await next.port.restoreBackup(id, false)
    expect(day()).toBe(5)
    await next.close()
  },
)

test('those are all changes of the disk that a restore makes', async () => {
  const { saved, id, day } = await setUp()
  const { changes, isKilled } = await restoreUntil(saved, id)
  expect([isKilled, day()]).toEqual([false, 5])
  const counted = stepsOf(changes).map(([change, count]) => `${change} ${count}`)
  // Several writes of one file are one step.
  const known = counted.filter(
    (change) => !/^write unfinished archive [^1]|^write unfinished archive 1.$/.test(change),
  )
  // The file system lists the files of the old save in any order.
  expect(known.toSorted()).toEqual(ends.map(([change, count]) => `${change} ${count}`).toSorted())
})

test('a process that really ends, once the game has loaded the backup, leaves what the next start undoes', async () => {
  const { saved, id, day } = await setUp()
  const program = fileURLToPath(new URL('../../backups/killed-restore.ts', import.meta.url))
  const { signal } = spawnSync(process.execPath, [program, saved.savesDir, saved.folder, id])
  expect([signal, day()]).toEqual(['SIGKILL', 5])
  const reported: LogLine[] = []
  const next = started(saved, reported)
  await next.port.restoreBackup(id, true)
  expect([day(), reported.map(({ message }) => message)]).toEqual([
    9,
    expect.arrayContaining([...lines.undone]),
  ])
  await next.close()
})
