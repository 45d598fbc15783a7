/** Rows of the audit between the requests and the thread of the records. */
import { randomBytes } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { auditRows } from '../../../services/records/audit-rows.ts'
import type { EndedWrite, StoredWrite } from '../../../services/records/audit-table.ts'
import { ownRecords } from '../../../services/records/own-records.ts'
import { memoryOwnRecords } from '../../records/memory-records.ts'
import { eventually } from '../../wait.ts'
import { aKeeper, aWrite, newPath, rowId, startedAt } from './a-keeper.ts'

const write = { requestId: 'one', address: '192.0.2.7', action: 'setTime', parameters: { value: '1200' } }
const begun = (id: number): StoredWrite => ({ ...write, id, at: 1_700_000_000_000, origin: 'local' })
const ended = (id: number): EndedWrite => ({ id, origin: 'local', end: { outcome: 'done', status: 200 } })

/** @returns the rows, and the calls as texts */
function sending() {
  const calls: string[] = []
  const rows = auditRows(async (began, ends) => {
    const ofRows = began.map(({ id, end }) => `${id} ${end?.status ?? 'began'}`)
    calls.push([...ofRows, ...ends.map(({ id, end }) => `end of ${id} ${end.status}`)].join(', '))
  })
  return { rows, calls }
}

test('rows are sent together, and a write that has already ended is inserted with its end', async () => {
  const { rows, calls } = sending()
  for (const id of [1, 2, 3]) rows.began(begun(id))
  await Promise.all([rows.ended(ended(1)), rows.ended(ended(3))])
  expect(calls).toEqual(['1 200, 2 began, 3 200'])
})

test('a longer write is stored within milliseconds, and completed when it ends', async () => {
  const { rows, calls } = sending()
  rows.began(begun(1))
  await eventually(() => expect(calls).toEqual(['1 began']))
  rows.began(begun(2))
  await rows.ended(ended(1))
  expect(calls).toEqual(['1 began', '2 began, end of 1 200'])
})

test('a write that ends twice in the turn of its begin has the first outcome', async () => {
  const records = memoryOwnRecords().of('edge')
  const id = await records.beganWrite(write)
  await Promise.all([
    records.endedWrite(id, { outcome: 'refused', status: 404 }),
    records.endedWrite(id, { outcome: 'done', status: 200 }),
  ])
  expect((await records.audit({ limit: 10 })).entries).toMatchObject([{ outcome: 'refused', status: 404 }])
})

test('a row of the edge that cannot be stored affects no row of the farm, and is not an error of its writes', async () => {
  const own = memoryOwnRecords()
  const [here, edge] = [own.of('local'), own.of('edge')]
  const [ours, theirs] = [await here.beganWrite(write), await edge.beganWrite(write)]
  const ends = await Promise.allSettled([
    edge.endedWrite(theirs, { outcome: 'done', status: 1e300 }),
    here.endedWrite(ours, { outcome: 'done', status: 200 }),
  ])
  expect(ends.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
  expect((await here.audit({ limit: 10 })).entries).toMatchObject([{ origin: 'local', outcome: 'done' }])
})

/**
 * A farmgate that starts with this clock, writes rows with these request ids, and stops. @returns all rows, newest
 * first
 */
async function started(path: string, now: number, ...requestIds: readonly string[]) {
  const { keeper, calls } = aKeeper(path)
  const records = ownRecords({ calls, state: () => 'ok', now: () => now, randomBytes }).of('local')
  await turn()
  for (const requestId of requestIds)
    await records.endedWrite(await records.beganWrite({ ...write, requestId }), ended(1).end)
  const { entries } = await records.audit({ limit: 10 })
  keeper.close()
  return entries
}

const day = 86_400_000
const time = 1_700_000_000_000

test('after a restart with a clock that was set back the newest row of the audit is still first, with its own time', async () => {
  const path = newPath()
  await started(path, time, 'one', 'two')
  const entries = await started(path, time - day, 'three', 'four')
  expect(entries.map(({ requestId }) => requestId)).toEqual(['four', 'three', 'two', 'one'])
  expect(entries.map(({ at }) => Date.parse(at))).toEqual([time - day, time - day, time, time])
})

test('a page from the id of a row before the clock was set back misses none of the rows after it', async () => {
  const path = newPath()
  const [newest] = await started(path, time, 'one')
  const after = (await started(path, time - day, 'two', 'three')).filter(
    ({ id }) => Number(id) > Number(newest?.id),
  )
  expect(after.map(({ requestId }) => requestId)).toEqual(['three', 'two'])
})

test('rows from a time when the clock was wrong by years are still removed after AUDIT_DAYS', async () => {
  const path = newPath()
  await started(path, time + 1000 * day, 'in the future')
  await started(path, time, 'today')
  const { keeper, calls, clock } = aKeeper(path)
  const left = async () => (await calls.audit({ limit: 10 })).entries.map(({ requestId }) => requestId)
  clock.now = time + 90 * day
  keeper.tick()
  expect(await left()).toEqual(['today', 'in the future'])
  clock.now += 1
  keeper.tick()
  expect(await left()).toEqual(['in the future'])
  clock.now += 1000 * day
  keeper.tick()
  expect(await left()).toEqual([])
  keeper.close()
})

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
    began: (row: number) => kept.calls.beganWrite(aWrite(row)),
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
