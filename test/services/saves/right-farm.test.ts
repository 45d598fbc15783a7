/** The farm that the game is expected to play, and the reports of another one. */
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import type { ExpectedFarm, UnexpectedFarm } from '../../../handlers/expected-farm.ts'
import { neverSeen, type Status } from '../../../handlers/game-records.ts'
import { loadNext } from '../../../services/saves/pointer.ts'
import { type RightFarm, watchRightFarm } from '../../../services/saves/watch-right-farm.ts'
import { clover, type SavedFarm, savedFarm } from '../../backups/saved-farm.ts'
import { well } from '../../backups/well-game.ts'
import { pointedTo, pointTo } from '../../game-server/saved-game.ts'
import { beforeEachCall } from '../../lib/shared-folder/exchanged.ts'
import { silent } from '../../logs.ts'

let saved: SavedFarm
beforeEach(() => {
  saved = savedFarm()
  return () => saved.remove()
})

const summer = (day: number) => ({ season: 'summer', day, year: 1 }) as const
const spring1 = { season: 'spring', day: 1, year: 1 } as const
const own = { name: 'Clover', number: '123456789' }
/** A farm that JunimoServer has made with the settings of the first one. */
const made = { ...clover, farmId: 300_000_001, date: spring1, farmhands: [] }

/** A game that plays what the test says, and records that outlive the process. */
function watched() {
  const state = { now: 1_795_262_400_000, ticks: 0, rows: undefined as string | undefined, isLost: false }
  const status = { ...neverSeen, isOnline: true, dayTransitionComplete: true } as {
    -readonly [Name in keyof Status]: Status[Name]
  }
  const health = { ...well } as { -readonly [Name in keyof typeof well]: (typeof well)[Name] } & {
    awaySince?: number
  }
  const reports: UnexpectedFarm[] = []
  const repairs: object[] = []
  const events: unknown[] = []
  const start = (): RightFarm => {
    const opened = watchRightFarm({
      savesDir: saved.savesDir,
      game: { status: async () => ({ ...status }), health: () => ({ ...health }) },
      records: {
        async read() {
          if (state.isLost) throw new Error('no records')
          return state.rows === undefined ? undefined : (JSON.parse(state.rows) as ExpectedFarm)
        },
        async write(kept) {
          state.rows = JSON.stringify(kept)
        },
      },
      repair: async (dir, names) => {
        await loadNext(dir, names.to)
        repairs.push(names)
      },
      report: (unexpected) => void reports.push(unexpected),
      log: silent,
      now: () => state.now,
      monotonic: () => state.ticks * 1000,
    })
    opened.subscribe((event) => events.push(event))
    return opened
  }
  let right = start()
  const pass = async (seconds: number) => {
    for (let at = 0; at < seconds; at += 1) {
      state.ticks += 1
      await right.tick()
    }
  }
  return {
    state,
    status,
    health,
    reports,
    repairs,
    events,
    pass,
    right: () => right,
    /** Another process of farmgate. */
    restart: () => {
      right = start()
    },
    /** The game plays a day. */
    async plays(farmName: string, date: Partial<Status>, more: Partial<Status> = {}) {
      Object.assign(status, { farmName, ...date, ...more })
      await pass(1)
    },
    /** Another process of the game plays a day. */
    async starts(farmName: string, date: Partial<Status>) {
      Object.assign(status, { farmName, ...date, startedAtUtc: `2026-11-21T12:00:${10 + state.ticks}Z` })
      await pass(1)
    },
    unexpected: () => right.unexpected(),
  }
}

async function playing(day = 5) {
  const farm = watched()
  saved.save({ date: summer(day) })
  await farm.starts('Clover', summer(day))
  return farm
}

test('the first farm ever seen is expected, by name, number and the last day it was seen at', async () => {
  const farm = watched()
  await farm.pass(1)
  expect(await farm.right().expected()).toBeUndefined()
  saved.save({ date: summer(5) })
  await farm.plays('Clover', summer(5))
  expect(await farm.right().expected()).toEqual({ ...own, ...summer(5) })
  saved.save({ date: summer(6) })
  await farm.plays('Clover', summer(6))
  expect(await farm.right().expected()).toEqual({ ...own, ...summer(6) })
  expect([await farm.unexpected(), farm.reports]).toEqual([undefined, []])
})

test('a farm of the same name with another number is another farm', async () => {
  const farm = await playing()
  saved.save(made)
  await farm.starts('Clover', spring1)
  const unexpected = {
    kind: 'other_farm',
    expected: { ...own, ...summer(5) },
    found: { name: 'Clover', number: '300000001', ...spring1 },
    since: '2026-11-21T12:00:00.000Z',
  }
  expect(await farm.unexpected()).toEqual(unexpected)
  expect(farm.reports).toEqual([unexpected])
  expect(farm.events).toEqual([{ type: 'game.wrong_farm', ...unexpected }])
})

test('without write access a pointer that names no save after a new game is reported, once the new farm has one; a reload goes ahead', async () => {
  const farm = await playing()
  pointTo(saved.savesDir, 'Meadow_300000001')
  await farm.right().allow({ name: 'Clover', ...spring1 })
  await farm.right().hasNewGame()
  saved.save(made)
  onTestFinished(
    beforeEachCall((_count, call, path) => {
      if (call === 'access' && path.includes('/proc/self/fd/')) throw new Error('EROFS')
    }),
  )
  await farm.plays('Clover', spring1)
  expect(await farm.unexpected()).toMatchObject({
    kind: 'pointer',
    expected: { name: 'Clover', number: '300000001' },
    found: { name: 'Meadow', number: '300000001' },
  })
  expect([pointedTo(saved.savesDir), farm.repairs]).toEqual(['Meadow_300000001', []])
  farm.right().checkReload()
})

test.each([null, ''])(
  'after the first night of a new farm a pointer that names no save (%j) is repaired, and not before',
  async (name) => {
    const farm = await playing()
    pointTo(saved.savesDir, name)
    await farm.right().allow({ name: 'Clover', ...spring1 })
    await farm.right().hasNewGame()
    await farm.starts('Clover', spring1)
    await farm.pass(9)
    expect([pointedTo(saved.savesDir), farm.repairs]).toEqual([name, []])
    saved.save({ ...made, date: { ...spring1, day: 2 } })
    await farm.plays('Clover', { ...spring1, day: 2 })
    expect(farm.repairs).toEqual([{ from: '', to: 'Clover_300000001' }])
    expect([pointedTo(saved.savesDir), farm.reports]).toEqual(['Clover_300000001', []])
  },
)

test('after a repair the game cannot load again before another process of it, also for a farmgate that was restarted', async () => {
  const farm = await playing()
  pointTo(saved.savesDir, 'Meadow_300000001')
  await farm.right().allow({ name: 'Clover', ...spring1 })
  await farm.right().hasNewGame()
  saved.save(made)
  await farm.plays('Clover', spring1)
  expect(farm.repairs).toEqual([{ from: 'Meadow_300000001', to: 'Clover_300000001' }])
  farm.restart()
  await farm.pass(1)
  expect(() => farm.right().checkReload()).toThrow()
  await farm.starts('Clover', spring1)
  farm.right().checkReload()
  expect(await farm.unexpected()).toBeUndefined()
})

test('where the save cannot be read, another name is another farm, within ten seconds', async () => {
  const farm = await playing()
  rmSync(saved.saves, { recursive: true })
  await farm.starts('Junimo', spring1)
  await farm.pass(9)
  expect(farm.reports).toMatchObject([{ kind: 'other_farm', found: { name: 'Junimo', ...spring1 } }])
  expect(farm.reports[0]?.found).not.toHaveProperty('number')
})

test('where the save cannot be read, the same name is the same farm, and its days count', async () => {
  const farm = await playing()
  rmSync(saved.saves, { recursive: true })
  for (const day of [5, 6]) await farm.starts('Clover', summer(day))
  await farm.pass(60)
  expect(farm.reports).toEqual([])
  await farm.starts('Clover', summer(2))
  await farm.pass(9)
  expect(farm.reports).toMatchObject([{ kind: 'earlier_day', found: { name: 'Clover', ...summer(2) } }])
})

test('a farm that was just made with the name of the expected one is another farm before it is saved', async () => {
  const farm = await playing()
  await farm.starts('Clover', spring1)
  await farm.pass(9)
  saved.save(made)
  await farm.pass(60)
  expect(farm.reports).toMatchObject([{ kind: 'other_farm', found: { name: 'Clover', ...spring1 } }])
  expect(await farm.unexpected()).toMatchObject({ found: { number: '300000001' } })
})

test('a number that is read later is added to what was reported, and not reported again', async () => {
  const farm = await playing()
  await farm.starts('Junimo', spring1)
  await farm.pass(9)
  saved.save({ ...made, farmName: 'Junimo' })
  await farm.pass(60)
  expect(await farm.unexpected()).toMatchObject({ found: { name: 'Junimo', number: '300000001' } })
  expect(farm.reports).toHaveLength(1)
})

test('the farm on a day before the last saved one is an earlier day, with both days', async () => {
  const farm = await playing(9)
  saved.save({ date: summer(3) })
  await farm.starts('Clover', summer(3))
  expect(farm.reports).toMatchObject([
    { kind: 'earlier_day', expected: { ...own, ...summer(9) }, found: { ...own, ...summer(3) } },
  ])
})

test('days are those of the game: a clock that is set back changes nothing', async () => {
  const farm = await playing()
  farm.state.now -= 86_400_000 * 365
  saved.save({ date: summer(6) })
  await farm.starts('Clover', summer(6))
  expect(farm.reports).toEqual([])
  saved.save({ date: summer(2) })
  await farm.starts('Clover', summer(2))
  expect(farm.reports).toMatchObject([{ kind: 'earlier_day' }])
})

test('a farm whose folder was renamed is not another farm', async () => {
  const farm = await playing()
  renameSync(join(saved.saves, 'Clover_123456789'), join(saved.saves, 'Old_123456789'))
  renameSync(
    join(saved.saves, 'Old_123456789/Clover_123456789'),
    join(saved.saves, 'Old_123456789/Old_123456789'),
  )
  await farm.starts('Clover', summer(5))
  await farm.pass(60)
  expect(farm.reports).toEqual([])
})

test('the day of a night that was cut off is not an earlier day', async () => {
  const farm = await playing()
  await farm.plays('Clover', summer(6), { dayTransitionComplete: false })
  await farm.pass(60)
  await farm.starts('Clover', { ...summer(5), dayTransitionComplete: true })
  expect(farm.reports).toEqual([])
})

test('the alarm outlives a restart of farmgate with its since, and is reported once', async () => {
  const farm = await playing()
  saved.save(made)
  await farm.starts('Clover', spring1)
  farm.restart()
  farm.state.now += 60_000
  await farm.pass(60)
  saved.save({ ...made, date: { ...spring1, day: 2 } })
  await farm.plays('Clover', { ...spring1, day: 2 })
  expect(await farm.unexpected()).toMatchObject({ kind: 'other_farm', since: '2026-11-21T12:00:00.000Z' })
  expect(farm.reports).toHaveLength(1)
})

test('the alarm ends when the game plays the expected farm again', async () => {
  const farm = await playing()
  saved.save(made)
  await farm.starts('Clover', spring1)
  expect(farm.right().isWrong()).toBe(true)
  await farm.starts('Clover', summer(5))
  expect([await farm.unexpected(), farm.right().isWrong()]).toEqual([undefined, false])
})

describe('an earlier day', () => {
  async function earlier() {
    const farm = await playing(9)
    saved.save({ date: summer(7) })
    await farm.starts('Clover', summer(7))
    expect(farm.reports).toMatchObject([{ kind: 'earlier_day' }])
    return farm
  }

  test('that is played on until the expected one is still reported: they are not the lost days', async () => {
    const farm = await earlier()
    for (const day of [8, 9, 10]) {
      saved.save({ date: summer(day) })
      await farm.plays('Clover', summer(day))
    }
    await farm.starts('Clover', summer(10))
    expect(await farm.unexpected()).toMatchObject({ kind: 'earlier_day', found: summer(7) })
    expect(farm.reports).toHaveLength(1)
  })

  test('ends when the game is restarted and loads the expected day', async () => {
    const farm = await earlier()
    saved.save({ date: summer(9) })
    await farm.starts('Clover', summer(9))
    expect(await farm.unexpected()).toBeUndefined()
  })

  test('is none for a backup that is restored, or a save that is chosen, through farmgate', async () => {
    const farm = await playing(9)
    const mark = { ...own, ...summer(3) }
    await farm.right().allow(mark)
    saved.save({ date: summer(3) })
    await farm.starts('Clover', summer(3))
    await farm.right().expect(mark)
    expect([farm.reports, await farm.right().expected()]).toEqual([[], mark])
    saved.save({ date: summer(2) })
    await farm.starts('Clover', summer(2))
    expect(farm.reports).toMatchObject([{ kind: 'earlier_day', expected: summer(3) }])
  })

  test('is reported after a choice that was undone: its mark allows nothing', async () => {
    const farm = await playing(9)
    const oak = { name: 'Oak', number: '7', ...summer(20) }
    const before = await farm.right().expected()
    await farm.right().allow(oak)
    saved.save({ ...clover, farmName: 'Oak', farmId: 7, date: summer(20) })
    await farm.starts('Oak', summer(20))
    expect(await farm.right().expected()).toEqual(oak)
    await farm.right().takeBack(oak, before)
    await farm.starts('Clover', summer(9))
    expect([await farm.right().expected(), farm.reports]).toEqual([{ ...own, ...summer(9) }, []])
    saved.save({ date: summer(7) })
    await farm.starts('Clover', summer(7))
    expect(farm.reports).toMatchObject([{ kind: 'earlier_day', found: summer(7) }])
  })

  test('is right when someone says so', async () => {
    const farm = await earlier()
    await farm.right().decide({ ...own, ...summer(9) })
    await farm.pass(60)
    expect([await farm.unexpected(), await farm.right().expected()]).toEqual([
      undefined,
      { ...own, ...summer(7) },
    ])
  })
})

test('a choice that was undone ends no alarm: the farm that was expected before it is so again', async () => {
  const farm = await playing()
  saved.save(made)
  await farm.starts('Clover', spring1)
  const alarm = await farm.unexpected()
  const before = await farm.right().expected()
  const oak = { name: 'Oak', number: '7', ...summer(20) }
  await farm.right().allow(oak)
  await farm.right().takeBack(oak, before)
  await farm.starts('Clover', spring1)
  expect([await farm.unexpected(), await farm.right().expected()]).toEqual([alarm, before])
})

test('another farm is right when someone says so; the expected one, while another is played, is not played', async () => {
  const farm = await playing()
  saved.save(made)
  await farm.starts('Clover', spring1)
  const before = await farm.unexpected()
  await farm.right().decide({ ...own, ...summer(5) })
  expect(await farm.unexpected()).toEqual(before)
  await farm.right().decide({ name: 'Clover', number: '300000001', ...spring1 })
  await farm.pass(60)
  expect([await farm.unexpected(), farm.reports.length]).toEqual([undefined, 1])
})

test('a farm that was added through farmgate is expected from its first load on', async () => {
  const farm = await playing()
  await farm.right().allow({ name: 'Oak', number: '7' })
  saved.save({ ...clover, farmName: 'Oak', farmId: 7, date: summer(20) })
  await farm.pass(60)
  expect(await farm.right().expected()).toMatchObject(own)
  await farm.starts('Oak', summer(20))
  expect([farm.reports, await farm.right().expected()]).toEqual([
    [],
    { name: 'Oak', number: '7', ...summer(20) },
  ])
})

describe('a pointer that names no save', () => {
  test('is reported once, and ends when it names one', async () => {
    const farm = await playing()
    pointTo(saved.savesDir, 'EM_4711')
    const next = { state: 'missing', name: 'EM_4711' } as const
    await farm.right().reportPointer(next)
    await farm.right().reportPointer(next)
    farm.restart()
    await farm.right().reportPointer(next)
    await farm.pass(60)
    const found = { name: 'EM', number: '4711' }
    expect(farm.reports).toMatchObject([{ kind: 'pointer', expected: own, found }])
    pointTo(saved.savesDir, 'Clover_123456789')
    await farm.pass(4)
    expect(await farm.unexpected()).toBeUndefined()
  })

  test('is another farm once the game has made one', async () => {
    const farm = await playing()
    pointTo(saved.savesDir, 'EM_4711')
    await farm.right().reportPointer({ state: 'missing', name: 'EM_4711' })
    saved.save(made)
    await farm.starts('Clover', spring1)
    expect(farm.reports.map(({ kind }) => kind)).toEqual(['pointer', 'other_farm'])
  })
})

describe('the backups of the expected farm', () => {
  const heldOf = async (farm: ReturnType<typeof watched>) => {
    const held = await farm.right().held()
    return [held('Clover_123456789'), held('Renamed_123456789'), held('Clover_300000001')]
  }

  test('are held until someone has decided, those of the other farm are not', async () => {
    const farm = await playing()
    expect([await heldOf(farm), farm.right().mayRemove()]).toEqual([[false, false, false], true])
    saved.save(made)
    Object.assign(farm.status, spring1, { startedAtUtc: '2026-11-21T13:00:00Z' })
    // Held looks at the game itself: a backup of the wrong farm comes first otherwise.
    expect([await heldOf(farm), farm.right().mayRemove()]).toEqual([[true, true, false], false])
    let decided = 0
    farm.right().onDecided(() => {
      decided += 1
    })
    await farm.right().decide({ name: 'Clover', number: '300000001', ...spring1 })
    expect([await heldOf(farm), farm.right().mayRemove(), decided]).toEqual([[false, false, false], true, 1])
  })

  test('are all held while the records do not answer', async () => {
    const farm = await playing()
    farm.state.isLost = true
    farm.restart()
    expect([await heldOf(farm), farm.right().mayRemove()]).toEqual([[true, true, true], false])
    farm.state.isLost = false
    expect(await heldOf(farm)).toEqual([false, false, false])
  })
})

test('a lost connection is not another load, and a game without a farm is none', async () => {
  const farm = await playing()
  farm.health.awaySince = 1
  await farm.plays('', { season: '', day: 0, year: 0 })
  delete farm.health.awaySince
  await farm.plays('', { season: '', day: 0, year: 0, isOnline: false })
  farm.status.isOnline = true
  await farm.plays('Clover', summer(5))
  expect(farm.reports).toEqual([])
})

test('a save that is a link, a pipe or no save does not stand for a farm', async () => {
  const farm = await playing()
  rmSync(saved.saves, { recursive: true })
  mkdirSync(join(saved.saves, 'Clover_9'), { recursive: true })
  writeFileSync(join(saved.saves, 'Clover_9/Clover_9'), '<SaveGame>')
  await farm.starts('Clover', summer(5))
  await farm.pass(60)
  expect(farm.reports).toEqual([])
})
