/** A failing thread of the records: nothing waits for it indefinitely, and it is restarted. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { FarmFailure } from '../../../handlers/farm-error.ts'
import { databaseFile } from '../../../services/records/database.ts'
import { prepareThread } from '../../../services/records/keeper-threads.ts'
import { openRecords } from '../../../services/records/open-records.ts'
import { ownRecords } from '../../../services/records/own-records.ts'
import { type LogLine, recorder } from '../../logs.ts'
import { newFolder } from '../../new-folder.ts'
import { eventually } from '../../wait.ts'

const write = { requestId: 'one', address: '192.0.2.7', action: 'setTime', parameters: {} }
const request = { name: 'bot', scopes: ['chat' as const] }

describe('a thread that ends', () => {
  test('does not stop the API: the records have failed, are restarted, and write to the disk again', async () => {
    const folder = newFolder()
    const lines: LogLine[] = []
    const opened = openRecords(folder, { audit: 90, history: 90, chat: 0 }, recorder(lines))
    onTestFinished(() => opened.close())
    const records = opened.of('local')
    const made = await records.makeKey(request)
    // The thread cannot handle a database without one of its tables: it ends.
    const other = new DatabaseSync(join(folder, databaseFile))
    onTestFinished(() => other.close())
    other.exec('ALTER TABLE chat RENAME TO hidden')
    await eventually(() => expect(records.state()).toBe('failed'))
    await expect(records.keys()).rejects.toMatchObject({ failure: { kind: 'unavailable', of: 'records' } })
    await expect(records.makeKey(request)).rejects.toMatchObject({
      failure: { kind: 'timeout', write: true, of: 'records' },
    })
    other.exec('ALTER TABLE hidden RENAME TO chat')
    await eventually(() => expect(records.state()).toBe('ok'))
    await records.endedWrite(await records.beganWrite(write), { outcome: 'done', status: 200 })
    expect((await records.audit({ limit: 10 })).entries).toMatchObject([{ outcome: 'done' }])
    expect((await records.keys()).map(({ id }) => id)).toEqual([made.id])
    const said = lines.map(({ message }) => message)
    expect(said).toContain('the thread of the records failed')
    expect(said).toContain('records are written to the disk again')
    expect(said.filter((one) => one === 'the records did not answer a call')).toHaveLength(1)
  })
})

describe('two databases in one thread', () => {
  const days = { audit: 90, history: 90, chat: 0 }
  /** The first fails. */
  const both = () => {
    const lines: LogLine[] = []
    const folder = newFolder()
    const [one, two] = [
      openRecords(folder, days, recorder(lines)),
      openRecords(newFolder(), days, recorder([])),
    ]
    onTestFinished(async () => void (await Promise.all([one.close(), two.close()])))
    const db = new DatabaseSync(join(folder, databaseFile))
    onTestFinished(() => db.close())
    return { one, two, db, file: join(folder, databaseFile), said: () => lines.map(({ message }) => message) }
  }

  test('a keeper that fails does not touch the other', async () => {
    const { one, two, db } = both()
    await two.of('local').makeKey(request)
    await eventually(() => void db.exec('ALTER TABLE chat RENAME TO hidden'))
    await eventually(() => expect(one.state).toBe('failed'))
    await two.of('local').makeKey(request)
    expect(await two.of('local').keys()).toHaveLength(2)
    expect([two.state, two.failures]).toEqual(['ok', 0])
  })

  test('a corrupt one is read in its own thread, and its readable rows are kept', async () => {
    const { one, two, db, file, said } = both()
    const made = await one.of('local').makeKey(request)
    await one
      .of('local')
      .endedWrite(await one.of('local').beganWrite(write), { outcome: 'done', status: 200 })
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    const { rootpage } = Object(db.prepare("SELECT rootpage FROM sqlite_master WHERE name = 'audit'").get())
    const bytes = readFileSync(file)
    writeFileSync(file, bytes.fill(0xff, (Number(rootpage) - 1) * 4096, Number(rootpage) * 4096))
    await eventually(async () => {
      await one
        .of('local')
        .beganWrite(write)
        .catch(() => undefined)
      expect(said()).toContain('rows of the corrupt database are kept')
    })
    const moved = 'the thread of the records failed'
    expect(said().indexOf('the database of the records is corrupt: put aside')).toBeGreaterThan(
      said().indexOf(moved),
    )
    await eventually(() => expect(one.state).toBe('ok'))
    expect((await one.of('local').keys()).map(({ id }) => id)).toEqual([made.id])
    expect([two.state, two.failures]).toEqual(['ok', 0])
  })
})

describe('a thread that hangs with its disk', () => {
  afterEach(() => void vi.useRealTimers())

  const hanging = () => {
    vi.useFakeTimers()
    const calls = new Proxy({} as Parameters<typeof ownRecords>[0]['calls'], {
      get: () => () => new Promise(() => {}),
    })
    return ownRecords({
      calls,
      state: () => 'ok',
      now: Date.now,
      randomBytes: (size) => new Uint8Array(size),
    })
  }
  const failureOf = async (call: Promise<unknown>): Promise<FarmFailure | undefined> => {
    const failed = call.then(
      () => undefined,
      ({ failure }) => failure,
    )
    await vi.advanceTimersByTimeAsync(5000)
    return failed
  }

  test('leaves no read without an answer: after five seconds it is unavailable', async () => {
    const records = hanging().of('local')
    const reads = [
      records.keys(),
      records.audit({ limit: 1 }),
      records.sessions({ limit: 1 }),
      records.playersSeen(),
      records.samples({ from: 0, to: 60_000, step: 60 }),
      records.days({ limit: 1 }),
      records.chat({ limit: 1 }),
    ]
    expect(await Promise.all(reads.map(failureOf))).toEqual(
      reads.map(() => ({ kind: 'unavailable', of: 'records' })),
    )
  })

  test('leaves no change without an answer: it might have been made', async () => {
    const records = hanging().of('local')
    const changes = [records.makeKey(request), records.revokeKey('abc'), records.usedKey('abc')]
    expect(await Promise.all(changes.map(failureOf))).toEqual(
      changes.map(() => ({ kind: 'timeout', write: true, of: 'records' })),
    )
  })

  test('leaves no call of the edge pending', async () => {
    const records = hanging().of('edge')
    const id = await records.beganWrite(write)
    expect(await failureOf(records.endedWrite(id, { outcome: 'done', status: 200 }))).toEqual({
      kind: 'timeout',
      write: true,
      of: 'records',
    })
  })
})

test('a thread that started early keeps the first database, and ends with it', async () => {
  prepareThread()
  for (const folder of [newFolder(), newFolder()]) {
    const opened = openRecords(folder, { audit: 90, history: 90, chat: 0 }, recorder([]))
    await opened.of('local').makeKey(request)
    await opened.close()
    expect([opened.state, opened.failures]).toEqual(['ok', 0])
  }
})
