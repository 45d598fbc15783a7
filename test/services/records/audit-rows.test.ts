/** Rows of the audit between the requests and the thread of the records. */
import { randomBytes } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { auditRows } from '../../../services/records/audit-rows.ts'
import type { EndedWrite, StoredWrite } from '../../../services/records/audit-table.ts'
import { ownRecords } from '../../../services/records/own-records.ts'
import { memoryOwnRecords } from '../../records/memory-records.ts'
import { eventually } from '../../wait.ts'
import { aKeeper, newPath } from './a-keeper.ts'

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
