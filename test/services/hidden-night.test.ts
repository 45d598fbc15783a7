/** A game whose status does not show its nights, as JunimoServer's: its answers are stale while a night is saved. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import type { GameHealth } from '../../handlers/game-bridge.ts'
import { neverSeen, type Status } from '../../handlers/game-records.ts'
import { systemClock } from '../../lib/clock.ts'
import { createMetrics } from '../../runtime/http/metrics.ts'
import { watchUpkeep } from '../../services/fleet/upkeep.ts'
import { noHost } from '../../services/host/no-host.ts'
import { watchGame } from '../../services/host/watch-game.ts'
import { farmEvents } from '../../services/webhooks/farm-events.ts'
import { clover, type SavedFarm, savedFarm, savesOf } from '../backups/saved-farm.ts'
import { well } from '../backups/well-game.ts'
import { zippedSave } from '../backups/zipped-save.ts'
import { pointedTo, pointTo } from '../game-server/saved-game.ts'
import { silent } from '../logs.ts'
import { memoryOwnRecords } from '../records/memory-records.ts'
import { noBackups } from '../records/no-backups.ts'
import { atDay9 } from './backups/loading-game.ts'
import { aGame } from './host/a-game.ts'
import { farmHost } from './host/farm-host.ts'
import { noResources } from './host/no-resources.ts'

const night: GameHealth = { ...well, isStale: true }
const status: Status = { ...neverSeen, isOnline: true, dayTransitionComplete: true, farmName: 'Clover' }
const inProgress = expect.objectContaining({ failure: { kind: 'save_in_progress' } })
const minute = 60_000

describe('during a night that the status does not show', () => {
  let saved: SavedFarm
  beforeEach(() => {
    saved = savedFarm()
    return () => saved.remove()
  })

  test('no backup is made and none is restored', async () => {
    const { id, game, port, close } = await atDay9(saved)
    onTestFinished(close)
    game.isStale = true
    await expect(port.makeBackup()).rejects.toEqual(inProgress)
    await expect(port.restoreBackup(id, false)).rejects.toEqual(inProgress)
    expect(game.loads).toBe(0)
  })

  test('no save is added and none is chosen', async () => {
    saved.save()
    saved.save({ farmName: 'Oak', farmId: 7 })
    const host = {
      host: async () => ({
        driver: 'docker' as const,
        state: 'running' as const,
        restartsToday: 0,
        can: { console: true, log: true },
        watchdog: { mode: 'off' as const, restartsThisHour: 0 },
        resources: noResources,
        operation: null,
      }),
      beginOperation: () => expect.fail('nothing is begun'),
      typeLine: () => expect.fail('nothing is typed'),
    }
    const game = {
      health: () => night,
      status: async () => status,
      players: async () => ({ players: [], version: 1 }),
      farmhands: async () => ({ farmhands: [], version: 1 }),
    }
    const saves = savesOf(saved, game, host)
    mkdirSync(join(saved.folder, '..', 'uploads'), { recursive: true })
    await expect(saves.chooseSave('Oak_7')).rejects.toEqual(inProgress)
    // Without a console too, whether the game is stopped for it or not.
    pointTo(saved.savesDir, 'Clover_123456789')
    const request = { when: 'now' as const, warnMinutes: [], backup: false, force: false }
    const load = { request, by: { id: 'api_key', name: 'API_KEY' } }
    const started = {
      ...host,
      host: async () => ({ ...(await host.host()), can: { console: false, log: true } }),
    }
    for (const other of [started, noHost])
      await expect(savesOf(saved, game, other).chooseSave('Oak_7', undefined, load)).rejects.toEqual(
        inProgress,
      )
    expect(pointedTo(saved.savesDir)).toBe('Clover_123456789')
    async function* upload() {
      yield await zippedSave({ ...clover, farmId: 8 })
    }
    await expect(saves.uploadSave(upload(), { isDryRun: false })).rejects.toEqual(inProgress)
  })
})

test('metrics, fleet and webhooks report a night that the status does not show', async () => {
  const game = { health: () => night, status: async () => status, subscribe: () => () => undefined }
  const { registry } = createMetrics(game, Date.now)
  expect(await registry.metrics()).toContain('farmgate_day_transition_complete 0\n')
  let at = 0
  const upkeep = watchUpkeep({
    game,
    backups: { port: noBackups, isFailing: () => false },
    rightFarm: { isWrong: () => false },
    hasSaves: false,
    ticketService: undefined,
    now: () => at,
    monotonic: () => at,
  })
  const events: string[] = []
  const webhooks = farmEvents({
    game,
    notify: (event) => void events.push(event),
    keepsChat: false,
    stuckSince: { read: async () => undefined, keep: () => undefined },
    now: () => at,
    monotonic: () => at,
  })
  for (; at <= 6 * minute; at += minute) {
    await upkeep.tick()
    await webhooks.tick()
  }
  expect(upkeep.current()).toMatchObject({ nightStuck: true })
  expect(events).toEqual(['farm.stuck'])
})

test('the watchdog reports a night that the status does not show, and does not restart the game', async () => {
  const records = memoryOwnRecords()
  const game = aGame()
  game.isStale = true
  const host = farmHost({ game: game.game, backups: noBackups, records })
  onTestFinished(() => host.close())
  let at = 0
  const events: unknown[] = []
  const watchdog = watchGame({
    mode: 'restart',
    seconds: 30,
    host,
    game: game.game,
    hasBackups: false,
    heldBack: async () => false,
    dispatch: () => expect.fail('nothing is done'),
    notify: (event, data) => void events.push([event, data]),
    found: () => undefined,
    records,
    clock: { now: systemClock.now, monotonic: () => at },
    log: silent,
  })
  for (; at <= 16 * minute; at += minute) await watchdog.tick()
  expect(events).toEqual([['game.hung', { cause: 'night' }]])
})
