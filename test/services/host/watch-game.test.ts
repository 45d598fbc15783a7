/** The watchdog on the real operations and records: webhooks, audit, and its memory over a restart of farmgate. */

import { Registry } from 'prom-client'
import { expect, onTestFinished, test } from 'vitest'
import type { HostRequest } from '../../../handlers/host-record.ts'
import { systemClock } from '../../../lib/clock.ts'
import { ownDispatch } from '../../../runtime/dispatch/own-dispatch.ts'
import { type WatchdogParts, watchdogEndpoints, watchGame } from '../../../services/host/watch-game.ts'
import { noMods } from '../../../services/mods/no-mods.ts'
import { backupsOf, savedFarm } from '../../backups/saved-farm.ts'
import { steeredFarm } from '../../bridges/simulated/steered-farm.ts'
import { silent } from '../../logs.ts'
import { memoryDownloads } from '../../records/memory-downloads.ts'
import { memoryFarm } from '../../records/memory-records.ts'
import { noAccounts } from '../../records/no-accounts.ts'
import { noSaves } from '../../records/no-saves.ts'
import { noSchedules } from '../../records/no-schedules.ts'
import { noSupport } from '../../records/no-support.ts'
import { eventually } from '../../wait.ts'
import { farmHost } from './farm-host.ts'
import { plainDriver } from './plain-driver.ts'

const minute = 60_000
const by = { id: 'api_key', name: 'API_KEY' }
const now: HostRequest = { when: 'now', warnMinutes: [], backup: false, force: false }

async function aWatchedFarm({ mode = 'restart' }: Pick<Partial<WatchdogParts>, 'mode'> = {}) {
  const game = steeredFarm()
  const farm = await memoryFarm('key')
  const saved = savedFarm()
  saved.save({ farmName: (await game.status()).farmName })
  const backups = backupsOf(saved, game)
  const driver = plainDriver()
  const events: unknown[] = []
  const notify = (event: string, data: object) => void events.push({ event, ...data })
  const host = farmHost({
    game,
    backups: backups.port,
    hasBackups: true,
    records: farm.records,
    driver,
    notify,
  })
  onTestFinished(async () => {
    host.close()
    await game.close()
    await backups.close()
    saved.remove()
  })
  const dispatch = ownDispatch(() => ({
    endpoints: watchdogEndpoints,
    farm: {
      game,
      backups: backups.port,
      host: host.port,
      schedules: noSchedules,
      saves: noSaves,
      accounts: noAccounts,
      mods: noMods,
      downloads: memoryDownloads(),
      support: noSupport,
      ticketService: { signIn: async () => undefined },
      records: farm.records.of('watchdog'),
    },
    keys: farm.keys,
    metrics: { registry: new Registry(), audit: { ended() {}, late() {} } },
    log: silent,
    now: Date.now,
    monotonic: systemClock.monotonic,
  }))
  /** Milliseconds by which the watchdog's clock is ahead; its wall clock is set by hand too. */
  const clock = { ahead: 0, wall: 0 }
  const counts = { crash: 0, hang: 0 }
  const heldBack = { is: false }
  const watchdog = () =>
    watchGame({
      mode,
      seconds: 180,
      host,
      game,
      hasBackups: true,
      heldBack: async () => heldBack.is,
      dispatch,
      notify,
      found: (trouble) => {
        counts[trouble] += 1
      },
      records: farm.records,
      clock: {
        now: () => Date.now() + clock.ahead + clock.wall,
        monotonic: () => systemClock.monotonic() + clock.ahead,
      },
      log: silent,
    })
  const first = watchdog()
  const asked = (what: string) => driver.asked.filter((one) => one === what).length
  return {
    game,
    driver,
    events,
    clock,
    counts,
    heldBack,
    host,
    asked,
    ...first,
    /** As after a restart of farmgate. */
    again: watchdog,
    /** Ticks until it holds, with a clock that runs so much faster than the machine's. */
    async until(check: () => void | Promise<void>, of = first, each = 0) {
      await eventually(async () => {
        clock.ahead += each
        await of.tick()
        await check()
      })
    },
    audit: async () =>
      (await farm.records.of('local').audit({ limit: 100 })).entries.map(
        ({ action, origin, outcome }) => `${origin} ${action} ${outcome}`,
      ),
    operations: () => host.port.operations(),
  }
}

test('a game that dies is reported and restarted after a backup, with rows of the audit of the watchdog', async () => {
  const farm = await aWatchedFarm()
  await farm.tick()
  farm.driver.become('crashed')
  farm.clock.ahead += 11_000
  await farm.until(async () =>
    expect(await farm.operations()).toMatchObject([{ action: 'start', state: 'succeeded' }]),
  )
  expect(farm.events).toMatchObject([
    { event: 'game.crashed' },
    { event: 'game.restarted', by: 'watchdog', reason: 'The game has crashed' },
  ])
  expect(await farm.audit()).toEqual(['watchdog startGame done', 'watchdog makeBackup done'])
  expect(farm.counts).toEqual({ crash: 1, hang: 0 })
  expect(farm.shown()).toEqual({ mode: 'restart', restartsThisHour: 1 })
  expect(await farm.host.port.host()).toMatchObject({ restartsToday: 1 })
})

test('a game whose start would create a new farm is not started by the watchdog', async () => {
  const farm = await aWatchedFarm()
  await farm.tick()
  farm.heldBack.is = true
  farm.driver.become('crashed')
  await farm.until(() => expect(farm.events).toEqual([{ event: 'game.crashed' }]), undefined, 5000)
  for (let tick = 0; tick < 20; tick += 1) {
    farm.clock.ahead += minute
    await farm.tick()
  }
  expect([farm.events, farm.driver.asked]).toEqual([[{ event: 'game.crashed' }], []])
})

test('a game that hangs is reported and restarted, and its own operation causes nothing', async () => {
  const farm = await aWatchedFarm()
  await farm.tick()
  farm.game.controls.goOffline()
  await farm.until(() => expect(farm.events).toHaveLength(1), undefined, 1000)
  expect(farm.events).toEqual([{ event: 'game.hung', cause: 'no_answer' }])
  await eventually(() => farm.asked('stop 60') === 1)
  farm.game.controls.comeBack()
  await farm.until(async () =>
    expect(await farm.operations()).toMatchObject([{ action: 'restart', state: 'succeeded' }]),
  )
  expect(await farm.audit()).toEqual(['watchdog restartGame done'])
  expect(farm.counts).toEqual({ crash: 0, hang: 1 })
})

test('a game that its host starts again first is reported once, and left alone', async () => {
  const farm = await aWatchedFarm()
  await farm.tick()
  farm.driver.become('crashed')
  await farm.until(
    () => {
      if (farm.events.length > 0) farm.driver.become('running')
      expect(farm.events).toHaveLength(1)
    },
    undefined,
    1000,
  )
  await farm.until(async () => expect((await farm.audit())[0]).toBe('watchdog startGame refused'))
  for (let tick = 0; tick < 20; tick += 1) {
    farm.clock.ahead += 100
    await farm.tick()
  }
  expect(farm.events).toEqual([{ event: 'game.crashed' }])
})

test('a game that an operation stops, or whose host is unreachable, causes nothing', async () => {
  const farm = await aWatchedFarm()
  await farm.tick()
  farm.driver.instead.inspect = () => Promise.reject(new Error('no host'))
  for (let tick = 0; tick < 20; tick += 1) {
    farm.clock.ahead += minute
    await farm.tick()
  }
  delete farm.driver.instead.inspect
  await farm.host.port.beginOperation('stop', now, by)
  await farm.until(async () => expect(await farm.operations()).toMatchObject([{ state: 'succeeded' }]))
  for (let tick = 0; tick < 20; tick += 1) {
    farm.clock.ahead += minute
    await farm.tick()
  }
  expect(farm.events).toEqual([])
})

test('a game that an operation has stopped before the first look of a new watchdog is not started', async () => {
  const farm = await aWatchedFarm()
  await farm.tick()
  const second = farm.again()
  await farm.host.port.beginOperation('stop', now, by)
  await eventually(async () => expect(await farm.operations()).toMatchObject([{ state: 'succeeded' }]))
  for (let tick = 0; tick < 20; tick += 1) {
    farm.clock.ahead += minute
    await second.tick()
  }
  expect(farm.events).toEqual([])
  expect(await farm.operations()).toHaveLength(1)
})

test('what an operation has left is known to a new watchdog before its first look, and nothing of a game that was gone before', async () => {
  const farm = await aWatchedFarm()
  farm.driver.become('crashed')
  await farm.tick()
  expect(await farm.shouldRun()).toBeUndefined()
  farm.driver.become('running')
  farm.clock.ahead += 11_000
  await farm.tick()
  expect([await farm.shouldRun(), await farm.again().shouldRun()]).toEqual([true, true])
  await farm.host.port.beginOperation('stop', now, by)
  await farm.until(async () => expect(await farm.operations()).toMatchObject([{ state: 'succeeded' }]))
  expect([await farm.shouldRun(), await farm.again().shouldRun()]).toEqual([false, false])
})

test('a game that hangs while an operation waits for its players to leave is reported and restarted', async () => {
  const farm = await aWatchedFarm()
  await farm.tick()
  farm.game.controls.goOffline()
  await farm.host.port.beginOperation('restart', { ...now, when: 'empty' }, by)
  await farm.until(() => expect(farm.events).toHaveLength(1), undefined, 5000)
  expect(farm.events).toEqual([{ event: 'game.hung', cause: 'no_answer' }])
  await eventually(async () =>
    expect(await farm.operations()).toMatchObject([{ by: { id: 'watchdog' } }, { state: 'cancelled' }]),
  )
  expect((await farm.audit()).slice(-1)).toEqual(['watchdog cancelHostOperation done'])
})

test('a game that cannot be started is given up, once; a restart of farmgate forgets neither that nor the restarts', async () => {
  const farm = await aWatchedFarm()
  await farm.tick()
  farm.driver.instead.start = () => Promise.reject(new Error('no image'))
  farm.driver.become('crashed')
  await farm.until(() => expect(farm.shown().restartsThisHour).toBe(2), undefined, 5000)
  await eventually(() => farm.asked('start') === 2 && farm.host.operation === undefined)
  // farmgate was down for a moment.
  const second = farm.again()
  await farm.until(
    () => expect(farm.events.at(-1)).toEqual({ event: 'watchdog.gave_up', restarts: 3 }),
    second,
    5000,
  )
  const shown = second.shown()
  expect(shown).toEqual({ mode: 'restart', restartsThisHour: 3, gaveUpAt: expect.stringMatching(/Z$/) })
  const third = farm.again()
  for (let tick = 0; tick < 20; tick += 1) {
    farm.clock.ahead += minute
    await third.tick()
  }
  expect(third.shown().gaveUpAt).toBe(shown.gaveUpAt)
  expect(farm.asked('start')).toBe(3)
  const gaveUp = farm.events.filter((one) => Object(one).event === 'watchdog.gave_up')
  expect(gaveUp).toHaveLength(1)
})
