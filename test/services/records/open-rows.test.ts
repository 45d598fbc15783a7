/** Rows that had begun on the disk when it could no longer be written (docs/keys-and-records.md). */
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { aKeeper, newPath, rowId, startedAt } from './a-keeper.ts'

/** Longer than the longest wait before the disk is tried again. */
const aWhile = 61
const minute = 60_000
const abby = { playerId: 6_208_260_877_024_290_921n, name: 'Abby' }
const allSamples = { from: startedAt - 3_600_000, to: startedAt + 7_200_000, step: 3600 }

/** A keeper whose disk another process can lock for longer than it waits. */
function lockable() {
  const path = newPath()
  const kept = aKeeper(path)
  const other = new DatabaseSync(path)
  return {
    ...kept,
    lock: () => other.exec('BEGIN IMMEDIATE'),
    unlock() {
      other.exec('ROLLBACK')
      other.close()
    },
    began: (row: number) =>
      kept.calls.beganWrite({
        id: rowId(row),
        at: startedAt,
        origin: 'local',
        requestId: `request-${row}`,
        address: '127.0.0.1',
        action: 'setTime',
        parameters: {},
      }),
    outcomes: async () =>
      (await kept.calls.audit({ limit: 9 })).entries.map(({ id, outcome }) => [
        Number(id) - rowId(0),
        outcome,
      ]),
  }
}

test('a write that began on a disk which then is busy has its real outcome, in memory and later on the disk', async () => {
  const { keeper, calls, changes, began, outcomes, lock, unlock, pass } = lockable()
  await Promise.all([began(1), began(2), began(3)])
  lock()
  await calls.endedWrite({ id: rowId(1), origin: 'local', end: { outcome: 'done', status: 200 } })
  await calls.endedWrite({ id: rowId(2), origin: 'local', end: { outcome: 'refused', status: 404 } })
  expect(changes.at(-1)).toMatchObject({ state: 'failed', trouble: 'busy' })
  const expected = [
    [3, 'unknown'],
    [2, 'refused'],
    [1, 'done'],
  ]
  expect(await outcomes()).toEqual(expected)
  unlock()
  pass(aWhile)
  expect(changes.at(-1)).toEqual({ state: 'ok' })
  expect(await outcomes()).toEqual(expected)
  await calls.endedWrite({ id: rowId(3), origin: 'local', end: { outcome: 'done', status: 200 } })
  expect((await outcomes())[0]).toEqual([3, 'done'])
  keeper.close()
})

test('a write that began in memory ends on the disk when that is back', async () => {
  const { keeper, calls, began, outcomes, lock, unlock, pass } = lockable()
  lock()
  await began(1)
  unlock()
  pass(aWhile)
  await calls.endedWrite({ id: rowId(1), origin: 'local', end: { outcome: 'done', status: 200 } })
  expect(await outcomes()).toEqual([[1, 'done']])
  keeper.close()
})

test('a session and a day that began on the disk keep their real ends, and player totals include all sessions', async () => {
  const { keeper, calls, lock, unlock, pass } = lockable()
  const first = { ...abby, id: rowId(1), joinedAt: startedAt, seenAt: startedAt + minute, played: minute }
  await calls.sessionBegan(first)
  await calls.sessionEnded(first, 'left')
  const second = { ...first, id: rowId(2), joinedAt: startedAt + 2 * minute, seenAt: startedAt + 2 * minute }
  await calls.sessionBegan({ ...second, played: 0 })
  await calls.dayBegan({ beganAt: startedAt, day: 5, season: 'spring', year: 1 })
  await began(calls)
  lock()
  await calls.sessionEnded({ ...second, seenAt: startedAt + 5 * minute, played: 3 * minute }, 'left')
  await calls.dayEnded(startedAt, startedAt + minute)
  await calls.numberChatFrom(1)
  unlock()
  pass(aWhile)
  expect((await calls.sessions({ limit: 9 })).sessions).toMatchObject([
    { leftAt: new Date(startedAt + 5 * minute).toISOString(), ended: 'left' },
    { leftAt: new Date(startedAt + minute).toISOString(), ended: 'left' },
  ])
  expect((await calls.days({ limit: 9 })).days).toMatchObject([
    { day: 5, endedAt: new Date(startedAt + minute).toISOString() },
  ])
  expect((await calls.playersSeen()).players).toMatchObject([{ minutesPlayed: 4, sessions: 2 }])
  keeper.close()
})

test('the summary of an hour in which the disk failed has the samples before and after', async () => {
  const { keeper, calls, lock, unlock, pass } = lockable()
  await calls.sampled({ at: startedAt, players: 2 })
  await began(calls)
  lock()
  await calls.sampled({ at: startedAt + minute, players: 4 })
  await calls.numberChatFrom(1)
  unlock()
  pass(aWhile)
  expect((await calls.samples(allSamples)).samples).toMatchObject([{ players: { mean: 3, max: 4 } }])
  keeper.close()
})

/** Commits writes that would otherwise take a second. */
const began = (calls: ReturnType<typeof aKeeper>['calls']) => calls.numberChatFrom(0)
