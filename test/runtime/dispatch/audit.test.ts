/** The audit with records that never answer, or that recover. */
import { expect, onTestFinished, test, vi } from 'vitest'
import { FarmError } from '../../../handlers/farm-error.ts'
import { apiKeyHolder } from '../../../handlers/key-holder.ts'
import { createAudit, endOf } from '../../../runtime/dispatch/audit.ts'
import { type LogLine, recorder } from '../../logs.ts'
import { memoryRecords } from '../../records/memory-records.ts'

const unavailable = () => Promise.reject(new FarmError({ kind: 'unavailable' }))
const never = () => new Promise<never>(() => {})
const write = { requestId: 'one', address: '192.0.2.7', action: 'setTime' }
const inUrl = () => ({ value: '1200' })

function auditOf(records: Parameters<typeof createAudit>[0]['records']) {
  const lines: LogLine[] = []
  const counted: string[] = []
  const audit = createAudit({
    records,
    metrics: { ended: (outcome) => counted.push(outcome), late: () => counted.push('late') },
    log: recorder(lines),
    newRequestId: () => 'made',
    monotonic: () => performance.now(),
  })
  return { audit, lines, counted }
}

test('a write is answered after two seconds although its row is not written by then; that is one line in the log and counted', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const { audit, lines, counted } = auditOf({ beganWrite: async () => 1, endedWrite: never })
  const writes = [1, 2].map(() => audit.write(write, apiKeyHolder(), inUrl))
  const ended = Promise.all(writes.map((one) => one.ended(200, false)))
  await vi.advanceTimersByTimeAsync(2000)
  await ended
  expect(lines).toMatchObject([{ level: 'warn', message: 'rows of the audit were not confirmed in time' }])
  expect(counted).toEqual(['done', 'done', 'late', 'late'])
})

test('a write continues where nothing can be recorded, and nothing is logged for it', async () => {
  const { audit, lines } = auditOf({ beganWrite: unavailable, endedWrite: unavailable })
  const one = audit.write(write, apiKeyHolder(), inUrl)
  one.began({ value: '1200' })
  await one.ended(200, false)
  expect(lines).toEqual([])
})

test('a write that never began was not made, whatever its error: it has failed', async () => {
  const records = memoryRecords()
  const { audit } = auditOf(records)
  await audit.write(write, apiKeyHolder(), inUrl).ended(500, true)
  expect((await records.audit({ limit: 10 })).entries).toMatchObject([
    { parameters: { value: '1200' }, outcome: 'failed', status: 500 },
  ])
})

test('wrong keys over their limit have at most sixty rows a minute, from any number of addresses', async () => {
  const records = memoryRecords()
  const { audit } = auditOf(records)
  for (let address = 0; address < 100; address += 1)
    for (let time = 0; time < 3; time += 1) audit.throttled(`192.0.2.${address}`)
  const { entries } = await records.audit({ limit: 500 })
  expect(entries).toHaveLength(60)
  expect(new Set(entries.map(({ address }) => address)).size).toBe(60)
})

test.each([
  [200, false, 'done'],
  [201, false, 'done'],
  [400, false, 'refused'],
  [403, false, 'refused'],
  [409, false, 'refused'],
  [500, false, 'failed'],
  [503, false, 'failed'],
  [502, false, 'failed'],
  [502, true, 'unknown'],
  [504, true, 'unknown'],
])('a write that ends with status %i, the change perhaps made: %s, is %s', (status, mayBeMade, outcome) => {
  expect(endOf(status, mayBeMade)).toEqual({ status, outcome })
})

test('refused writes of people without scopes have at most sixty rows a minute together; writes that were made have all', async () => {
  const records = memoryRecords()
  const { audit } = auditOf(records)
  const stranger = (id: string, ...scopes: readonly 'read'[]) => ({
    id,
    name: 'Robin',
    scopes,
    ref: `fg_${id}`,
    account: { id: `of ${id}`, provider: 'oidc' as const, name: 'Robin' },
  })
  for (let session = 0; session < 100; session += 1) {
    await audit.write(write, stranger(`before${session}`), inUrl).ended(403, false)
    const begun = audit.write(write, stranger(`begun${session}`), inUrl)
    begun.began({})
    await begun.ended(404, false)
    audit.limited(stranger(`fast${session}`), '192.0.2.7')
  }
  const rows = async () => (await records.audit({ limit: 500 })).entries
  expect(await rows()).toHaveLength(60)
  const made = audit.write(write, stranger('made'), inUrl)
  made.began({ value: '1300' })
  await made.ended(200, false)
  await audit.write(write, stranger('reader', 'read'), inUrl).ended(403, false)
  expect((await rows()).slice(0, 2)).toMatchObject([
    { key: { id: 'reader' }, outcome: 'refused' },
    { key: { id: 'made' }, outcome: 'done', parameters: { value: '1300' } },
  ])
})
