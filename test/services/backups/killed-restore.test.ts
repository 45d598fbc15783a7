/** `kill -9` at each step of a restore, of a process that really ends, and the start after it. */
import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import type { SavedFarm } from '../../backups/saved-farm.ts'
import type { LogLine } from '../../logs.ts'
import { eventually } from '../../wait.ts'
import { farmToRestore } from './farm-to-restore.ts'
import { name, started } from './loading-game.ts'

const program = fileURLToPath(new URL('../../backups/killed-restore.ts', import.meta.url))

/** A farm at day 9, with a backup of day 5. */
async function setUp() {
  const farm = farmToRestore()
  const { id, close } = await farm.atDay9()
  await close()
  return { ...farm, id }
}

/** Restores the backup of day 5 in a process of its own. @param fatal the change before which it is killed */
async function restoreIn(saved: SavedFarm, id: string, fatal = '', count = 1) {
  const args = [program, saved.savesDir, saved.folder, id, fatal, String(count)]
  const ended: { stdout: string; signal?: unknown } = await promisify(execFile)(process.execPath, args).catch(
    (error: { stdout: string; signal: unknown }) => error,
  )
  return { changes: ended.stdout.trim().split('\n'), signal: ended.signal }
}

/** What a killed process has left is ended by the next start as the day says, and named in its log. */
type End = readonly [change: string, count: number, day: 5 | 9, log: 'undone' | 'finished' | 'nothing']

const ends: readonly End[] = [
  ['folder .farmgate-restore-new', 1, 9, 'nothing'],
  ['folder .unpacked', 1, 9, 'nothing'],
  [`folder ${name}`, 1, 9, 'nothing'],
  [`write ${name}`, 1, 9, 'nothing'],
  ['write SaveGameInfo', 1, 9, 'nothing'],
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

describe.each(ends)(
  'farmgate killed in a restore, before it would %s (%i)',
  (change, count, expected, log) => {
    test.concurrent(`leaves the ${expected === 5 ? 'restored' : 'old'} save whole, and the next start says: ${log}`, async () => {
      const { saved, id, day } = await setUp()
      expect(await restoreIn(saved, id, change, count)).toMatchObject({ signal: 'SIGKILL' })
      expect(readdirSync(saved.saves).filter((one) => one !== name && !one.startsWith('.'))).toEqual([])
      const told: LogLine[] = []
      const next = started(saved, told)
      // The port answers a restore only once the start has ended what was left.
      await next.port.restoreBackup(id, true)
      expect(told.filter(({ level }) => level !== 'info').map(({ message }) => message)).toEqual(lines[log])
      expect([day(), readdirSync(saved.saves)]).toEqual([expected, [name]])
      await eventually(async () => {
        const { backups } = await next.port.backups()
        expect(backups.filter(({ verifiedAt }) => verifiedAt === undefined)).toEqual([])
      })
      expect(readdirSync(saved.folder).filter((one) => one.startsWith('.making-'))).toEqual([])
      await next.port.restoreBackup(id, false)
      expect(day()).toBe(5)
      await next.close()
    })
  },
)

test.concurrent('those are all changes of the disk that a restore makes', async () => {
  const { saved, id, day } = await setUp()
  const { changes, signal } = await restoreIn(saved, id)
  expect([signal, day()]).toEqual([undefined, 5])
  // What is made is written to at once.
  const steps = changes.filter((change) => !/^(sync|make) /.test(change))
  const counted = steps.map(
    (change, at) => `${change} ${steps.slice(0, at + 1).filter((one) => one === change).length}`,
  )
  // Several writes of one file are one step.
  const known = counted.filter(
    (change) => !/^write unfinished archive [^1]|^write unfinished archive 1.$/.test(change),
  )
  // The file system gives the files of the old save in any order.
  expect(known.toSorted()).toEqual(ends.map(([change, count]) => `${change} ${count}`).toSorted())
})
