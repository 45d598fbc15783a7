/** The files of the records under a running farmgate: a power failure, a file that is removed, and something else in its place. */
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { folderProblem } from '../../../services/records/check-folder.ts'
import { reserveFile } from '../../../services/records/reserve.ts'
import { newFolder } from '../../new-folder.ts'
import { aKeeper, aKey, newPath } from './a-keeper.ts'

const keysIn = (path: string) => {
  using db = new DatabaseSync(path, { readOnly: true })
  return db
    .prepare('SELECT id FROM keys')
    .all()
    .map(({ id }) => id)
}

test('what was acknowledged is in the database itself, which a checkpoint syncs, at the next tick: a power failure that loses the log loses at most a second', async () => {
  const path = newPath()
  const { calls, write, pass, keeper } = aKeeper(path)
  /** Only a checkpoint syncs the database and its log; a power failure can lose a log that was not synced. */
  const afterPowerFailure = () => {
    const copy = join(newFolder(), 'records.db')
    copyFileSync(path, copy)
    return copy
  }
  await calls.addKey(aKey('abc'))
  await write(1)
  pass(1)
  expect(keysIn(afterPowerFailure())).toEqual(['abc'])
  const again = aKeeper(afterPowerFailure())
  expect(await again.rows()).toEqual([1])
  again.keeper.close()
  keeper.close()
})

test('what was acknowledged while another program reads the database is synced in its log at the next tick, and a revocation before its answer', async () => {
  const path = newPath()
  const synced: string[] = []
  const { calls, pass, keeper } = aKeeper(path, { syncLog: (log) => synced.push(log) })
  await calls.addKey(aKey('abc'))
  pass(1)
  expect(synced).toEqual([])
  using reader = new DatabaseSync(path, { readOnly: true })
  reader.exec('BEGIN; SELECT * FROM keys')
  await calls.addKey(aKey('def'))
  pass(1)
  expect(synced).toEqual([`${path}-wal`])
  expect(await calls.revokeKey('def', 5)).toBe(true)
  expect(synced).toHaveLength(2)
  keeper.close()
})

test('the records are ok again only when their rows are in the database itself', async () => {
  const path = newPath()
  const found: unknown[] = []
  const { calls, pass, keeper } = aKeeper(path, {
    onState({ state }) {
      const copy = join(newFolder(), 'records.db')
      if (state === 'ok') copyFileSync(path, copy)
      found.push(state === 'ok' ? keysIn(copy) : state)
    },
  })
  rmSync(path)
  pass(1)
  await calls.addKey(aKey('abc'))
  pass(61)
  expect(found).toEqual([[], 'failed', ['abc']])
  keeper.close()
})

test.each(['-wal', ''])(
  'a deleted records.db%s is noticed within a second, and keys that were acknowledged before and after are kept',
  async (end) => {
    const path = newPath()
    const { calls, changes, pass, keeper } = aKeeper(path)
    await calls.addKey(aKey('before'))
    rmSync(`${path}${end}`)
    await calls.addKey(aKey('after'))
    pass(1)
    expect(changes).toMatchObject([{ state: 'ok' }, { state: 'failed', trouble: 'vanished' }])
    pass(61)
    expect(changes.slice(2)).toEqual([{ state: 'ok' }])
    await calls.addKey(aKey('later'))
    // As another process sees them, and as they are after kill -9.
    expect(keysIn(path)).toEqual(['after', 'before', 'later'])
    pass(60)
    expect(changes).toHaveLength(3)
    keeper.close()
  },
)

describe.each(['records.db', 'records.db-wal', reserveFile])('in place of %s', (name) => {
  test.each([
    ['a pipe', (path: string) => execFileSync('mkfifo', [path])],
    ['a link to a device', (path: string) => symlinkSync('/dev/zero', path)],
    ['a folder', (path: string) => mkdirSync(path)],
  ])('%s is a sentence and memory, until it is removed', async (_what, put) => {
    const path = newPath()
    const folder = dirname(path)
    mkdirSync(folder)
    put(join(folder, name))
    if (!name.endsWith('wal')) expect(folderProblem(folder)).toMatch(/is not a file/)
    const { calls, changes, pass, keeper } = aKeeper(path)
    expect(changes).toMatchObject([
      { state: 'failed', trouble: 'not_a_file', cause: `${join(folder, name)} is not a file` },
    ])
    await calls.addKey(aKey('abc'))
    await calls.addKey(aKey('def'))
    expect(await calls.revokeKey('abc', 5)).toBe(name === reserveFile ? true : 'memory')
    rmSync(join(folder, name), { recursive: true })
    pass(61)
    expect(changes.at(-1)).toEqual({ state: 'ok' })
    keeper.close()
    expect(keysIn(path)).toEqual(['abc', 'def'])
  })
})
