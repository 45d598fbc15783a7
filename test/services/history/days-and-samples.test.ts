import { expect, test } from 'vitest'
import { FarmError } from '../../../handlers/farm-error.ts'
import { abby, after, noon, recordedFarm, sam, stats } from './a-farm.ts'

const spring = (day: number) => ({ day, season: 'spring' as const, year: 1 })
const hour = 3_600_000

test('a game day is recorded with the real times of its begin and end, and with its players', async () => {
  const farm = await recordedFarm()
  farm.joins(abby)
  await farm.pass(30)
  farm.begins(spring(2))
  await farm.pass(30)
  farm.joins(sam)
  farm.leaves(abby)
  await farm.pass(30)
  farm.begins(spring(3))
  expect((await farm.records.days({ limit: 10 })).days).toEqual([
    { ...spring(3), beganAt: after(90), players: [{ playerId: sam.id, name: 'Sam' }] },
    {
      ...spring(2),
      beganAt: after(30),
      endedAt: after(90),
      players: [
        { playerId: abby.id, name: 'Abby' },
        { playerId: sam.id, name: 'Sam' },
      ],
    },
    {
      ...spring(1),
      beganAt: after(0),
      endedAt: after(30),
      players: [{ playerId: abby.id, name: 'Abby' }],
    },
  ])
})

test('a restart within a day resumes the day; the end of a day that farmgate did not see is unknown', async () => {
  const farm = await recordedFarm()
  farm.joins(abby)
  farm.stop()
  await farm.pass(60)
  await farm.startAgain()
  farm.stop()
  farm.game.status = { ...farm.game.status, ...spring(5) }
  await farm.startAgain()
  expect((await farm.records.days({ limit: 10 })).days).toEqual([
    { ...spring(5), beganAt: after(60), players: [{ playerId: abby.id, name: 'Abby' }] },
    { ...spring(1), beganAt: after(0), players: [{ playerId: abby.id, name: 'Abby' }] },
  ])
})

test("one sample a minute records the number of players and the game's health, also without requests", async () => {
  const farm = await recordedFarm()
  farm.game.answerMs = 12
  farm.joins(abby)
  await farm.pass(125)
  const { step, samples } = await farm.records.samples({ from: noon, to: noon + hour, step: 60 })
  expect(step).toBe(60)
  expect(samples.map(({ at }) => at)).toEqual([after(0), after(60), after(120)])
  expect(samples[1]).toEqual({
    at: after(60),
    players: { mean: 1, max: 1 },
    ticksPerSecond: { mean: 60, max: 60 },
    tickMs: { mean: 2, max: 2 },
    memoryMb: { mean: 400, max: 400 },
    answerMs: { mean: 12, max: 12 },
  })
})

test('an outage of the game leaves a hole', async () => {
  const farm = await recordedFarm()
  await farm.pass(61)
  farm.offline()
  await farm.pass(180)
  farm.back()
  await farm.pass(1)
  const { samples } = await farm.records.samples({ from: noon, to: noon + hour, step: 60 })
  expect(samples.map(({ at }) => at)).toEqual([after(0), after(60), after(240)])
})

test('a game without /stats has samples of its players and answer times', async () => {
  const farm = await recordedFarm()
  farm.game.stats = () => Promise.reject(new FarmError({ kind: 'unsupported', what: 'tell stats' }))
  await farm.pass(61)
  const { samples } = await farm.records.samples({ from: noon + 60_000, to: noon + hour, step: 60 })
  expect(samples).toEqual([{ at: after(60), players: { mean: 0, max: 0 }, answerMs: { mean: 0, max: 0 } }])
})

test.each([60, 300, 600, 1800, 3600, 7200])(
  'a step of %i s has the mean and the maximum of its samples',
  async (step) => {
    const farm = await recordedFarm()
    let asked = 0
    farm.game.stats = () => {
      asked += 1
      return Promise.resolve({ ...stats, avgTickMs: asked })
    }
    await farm.pass(7199)
    const { samples } = await farm.records.samples({ from: noon, to: noon + 3 * hour, step })
    // The sample of the start was 2; those after it are 1, 2, 3 and so on, one a minute.
    const ticks = [2, ...Array.from({ length: 119 }, (_, minute) => minute + 1)]
    const steps = Array.from({ length: Math.ceil(7200 / step) }, (_, at) =>
      ticks.slice((at * step) / 60, ((at + 1) * step) / 60),
    )
    expect(samples.map(({ tickMs }) => tickMs)).toEqual(
      steps.map((values) => ({
        mean: expect.closeTo(values.reduce((sum, value) => sum + value) / values.length, 2),
        max: Math.max(...values),
      })),
    )
  },
)
