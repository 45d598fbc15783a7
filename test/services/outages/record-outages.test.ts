/** Outages of game and farmgate are recorded, and counted. */
import { describe, expect, onTestFinished, test } from 'vitest'
import type { KnownCause } from '../../../handlers/cause.ts'
import { shareWithout } from '../../../handlers/outages.ts'
import { recordOutages } from '../../../services/outages/record-outages.ts'
import { memoryFarm } from '../../records/memory-records.ts'
import { aKeeper, newPath, startedAt } from '../records/a-keeper.ts'

const minute = 60_000

async function recorded() {
  const clock = { at: Date.parse('2026-11-21T12:00:00Z') }
  let cause: KnownCause | undefined
  const { records } = await memoryFarm('', () => clock.at)
  const run = () =>
    recordOutages({
      cause: () => cause,
      calls: records.calls,
      later: records.later,
      now: () => clock.at,
      monotonic: () => clock.at,
    })
  return {
    clock,
    run,
    set(code: KnownCause['code'] | undefined) {
      cause = code && { code, since: clock.at }
    },
    outages: async () => (await records.of('local').outages(0)).outages,
    since: async () => (await records.of('local').outages(0)).since,
  }
}

test('an outage of the game is recorded with its cause once it has lasted ten seconds, and ends with it', async () => {
  const { clock, run, set, outages } = await recorded()
  const { tick } = run()
  await tick()
  const from = clock.at
  set('process_crashed')
  clock.at += 9_000
  await tick()
  expect(await outages()).toEqual([])
  clock.at += 1_000
  await tick()
  expect(await outages()).toEqual([{ of: 'game', from, cause: 'process_crashed' }])
  clock.at += minute
  set(undefined)
  await tick()
  expect(await outages()).toEqual([{ of: 'game', from, to: clock.at, cause: 'process_crashed' }])
})

test('a cause with which the game can be played does not count', async () => {
  const { clock, run, set, outages } = await recorded()
  const { tick } = run()
  for (const code of ['ticket_service', 'disk', 'clock'] as const) {
    set(code)
    clock.at += minute
    await tick()
  }
  expect(await outages()).toEqual([])
})

test('the time for which farmgate did not run is one of farmgate, a short restart is none, and one of the game ends with it', async () => {
  const { clock, run, set, outages, since } = await recorded()
  const first = run()
  const start = clock.at
  await first.tick()
  expect(await since()).toBe(start)
  set('no_answer')
  clock.at += minute
  await first.tick()
  const stopped = clock.at
  first.close()
  set(undefined)
  clock.at += 60 * minute
  await run().tick()
  expect(await outages()).toEqual([
    { of: 'farmgate', from: stopped, to: clock.at },
    { of: 'game', from: start, to: stopped, cause: 'no_answer' },
  ])
  const before = await outages()
  clock.at += minute
  await run().tick()
  expect(await outages()).toEqual(before)
  expect(await since()).toBe(start)
})

describe('the share counts no time whose outages are not known', () => {
  const day = 1440 * minute
  const aFarm = (history: number) => {
    const kept = aKeeper(newPath(), { days: { audit: 90, history, chat: 30 } })
    onTestFinished(() => kept.keeper.close())
    kept.calls.keepNumber('outagesSince', startedAt - 20 * day)
    const out = (from: number, days: number) =>
      kept.calls.outage({ of: 'game', from, to: from + days * day, cause: 'no_answer' })
    return { ...kept, out, known: () => kept.calls.outages(startedAt - 20 * day) }
  }

  test('those that ended before HISTORY_DAYS are deleted, and the counted time begins there', async () => {
    const { out, known, becomeSteady, pass, clock } = aFarm(10)
    out(startedAt - 15 * day, 1)
    out(startedAt - 12 * day, 4)
    expect(await known()).toMatchObject({ outages: [{}, {}], since: startedAt - 20 * day })
    becomeSteady()
    const since = clock.now - 10 * day
    pass(1)
    expect(await known()).toEqual({
      outages: [{ of: 'game', from: startedAt - 12 * day, to: startedAt - 8 * day, cause: 'no_answer' }],
      since,
    })
  })

  test('one that lasts is kept however long', async () => {
    const { calls, known, becomeSteady } = aFarm(10)
    calls.outage({ of: 'game', from: startedAt - 15 * day, cause: 'no_answer' })
    becomeSteady()
    expect(await known()).toEqual({
      outages: [{ of: 'game', from: startedAt - 15 * day, cause: 'no_answer' }],
      since: startedAt - 20 * day,
    })
  })

  test('of more than a thousand, it begins with the oldest in the answer', async () => {
    const { calls, known } = aFarm(90)
    for (let at = 0; at <= 1000; at += 1)
      calls.outage({ of: 'game', from: startedAt + at * minute, to: startedAt + at * minute + 1 })
    const { outages, since } = await known()
    expect([outages.length, since]).toEqual([1000, startedAt + minute])
  })
})

test('the share of the time without an outage counts those that overlap once, and one that lasts until now', () => {
  const outages = [
    { of: 'game' as const, from: 90 },
    { of: 'game' as const, from: 10, to: 30 },
    { of: 'farmgate' as const, from: 20, to: 40 },
    { of: 'game' as const, from: -50, to: -10 },
  ]
  expect(shareWithout(outages, 0, 100)).toBeCloseTo(0.6)
  expect(shareWithout([], 0, 100)).toBe(1)
  expect(shareWithout(outages, 100, 100)).toBe(1)
})
