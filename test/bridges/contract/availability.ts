import { describe, expect, test } from 'vitest'
import { abilityNames } from '../../../handlers/game-abilities.ts'
import type { GameBridge } from '../../../handlers/game-bridge.ts'
import { offlineStatus } from '../../../handlers/offline-status.ts'
import { eventually } from '../../wait.ts'
import { maybeMissing, sampleCall } from './abilities.ts'
import { failureOf, playerIds, type Start, started, unknownOutcome } from './expectations.ts'

const gone = (bridge: GameBridge) =>
  eventually(async () => {
    expect(bridge.health().gameAvailable).toBe(false)
    expect((await bridge.status()).isOnline).toBe(false)
  })

/** @param writes whether the bridge makes them itself, and counts them while they wait */
export function availabilityContract(start: Start, writes: boolean): void {
  describe('availability', () => {
    test('a running game is available and not frozen, and its tick count grows', async () => {
      const { bridge } = await started(start)
      const { gameAvailable, isFrozen, tickCount } = bridge.health()
      expect({ gameAvailable, isFrozen }).toEqual({ gameAvailable: true, isFrozen: false })
      await eventually(() => expect(bridge.health().tickCount).toBeGreaterThan(tickCount))
    })

    test('while the game is offline every call ends as unavailable', async () => {
      const { bridge, game } = await started(start)
      await game.goOffline()
      await gone(bridge)
      for (const name of abilityNames) {
        const { kind } = await failureOf(sampleCall(bridge, name))
        const asEver = kind === 'unsupported' && maybeMissing.has(name)
        expect([name, asEver || kind]).toEqual([name, asEver || 'unavailable'])
      }
    })

    test('the health has the time of the last answer while the game is offline, and no such time otherwise', async () => {
      const { bridge, game } = await started(start)
      expect(bridge.health()).not.toHaveProperty('awaySince')
      const before = Date.now()
      await game.goOffline()
      const { awaySince } = await eventually(() => {
        const health = bridge.health()
        expect(health).toHaveProperty('awaySince')
        return health
      })
      // An upstream game is polled, so that its last answer came a little before it went offline.
      expect(awaySince).toBeGreaterThan(before - 5000)
      expect(awaySince).toBeLessThanOrEqual(Date.now())
      expect(bridge.health().awaySince).toBe(awaySince)
      await game.comeBack()
      await eventually(() => expect(bridge.health()).not.toHaveProperty('awaySince'))
    })

    test('while the game is offline the status keeps the farm’s name and date but no players or codes, and listeners get that status', async () => {
      const { bridge, game, events } = await started(start)
      await bridge.setTime(1340)
      await eventually(async () => expect((await bridge.status()).timeOfDay).toBe(1340))
      const last = await bridge.status()
      await game.goOffline()
      await gone(bridge)
      const offline = await bridge.status()
      const { version } = offline
      expect(offline).toEqual({ ...offlineStatus(last), lastUpdated: offline.lastUpdated, version })
      expect(Date.parse(offline.lastUpdated)).toBeGreaterThanOrEqual(Date.parse(last.lastUpdated))
      expect(await bridge.status()).toBe(offline)
      const { lastUpdated } = offline
      await eventually(() =>
        expect(events).toContainEqual({
          type: 'status_changed',
          status: expect.objectContaining({ isOnline: false, lastUpdated }),
        }),
      )
    })

    test('a game that comes back works again without a restart, its chat too', async () => {
      const { bridge, game, events } = await started(start)
      await game.join({ id: 77n, name: 'Tester' })
      await eventually(async () => expect(await playerIds(bridge)).toContain(77n))
      await game.goOffline()
      await gone(bridge)
      await game.comeBack()
      await eventually(async () => {
        expect(bridge.health().gameAvailable).toBe(true)
        expect((await bridge.status()).isOnline).toBe(true)
        expect(await playerIds(bridge)).toContain(77n)
      })
      await bridge.setTime(1450)
      await eventually(async () => expect((await bridge.status()).timeOfDay).toBe(1450))
      const line = { author: 'Bot', message: 'still there?' }
      await eventually(() => bridge.sendChat(line))
      await eventually(() => expect(game.relayed()).toContainEqual(line))
      await game.say(77n, 'yes')
      await eventually(() =>
        expect(events).toContainEqual(expect.objectContaining({ type: 'chat', message: 'yes' })),
      )
    })

    test('lastUpdated advances while the game answers and nothing changes, without an event', async () => {
      const { bridge, events } = await started(start)
      const before = await bridge.status()
      const reported = events.length
      await eventually(async () => {
        const { lastUpdated } = await bridge.status()
        expect(Date.parse(lastUpdated)).toBeGreaterThan(Date.parse(before.lastUpdated) + 1000)
        expect(Date.parse(lastUpdated)).toBeLessThanOrEqual(Date.now())
      })
      expect(events.slice(reported)).toEqual([])
    })

    test('the health reports a frozen loop, and a write that waits for the loop is made once it runs again', async () => {
      const { bridge, game } = await started(start)
      await game.freeze()
      await eventually(() => expect(bridge.health().isFrozen).toBe(true))
      expect(bridge.health().gameAvailable).toBe(true)
      expect((await bridge.status()).isOnline).toBe(true)
      const written = bridge.setTime(1150)
      if (writes) await eventually(() => expect(bridge.health().pendingActions).toBeGreaterThan(0))
      await game.thaw()
      await written
      await eventually(async () => expect((await bridge.status()).timeOfDay).toBe(1150))
      await eventually(() => expect(bridge.health()).toMatchObject({ isFrozen: false, pendingActions: 0 }))
    })

    test('closing ends a pending write as unknown, and later calls as unavailable', async () => {
      const { bridge, game } = await started(start)
      await game.freeze()
      await eventually(() => expect(bridge.health().isFrozen).toBe(true))
      const failure = failureOf(bridge.setTime(1150))
      await eventually(() => expect(game.unanswered()).toContain('setTime'))
      await bridge.close()
      expect(await failure).toEqual(unknownOutcome)
      expect(await failureOf(bridge.players())).toEqual({ kind: 'unavailable' })
      expect((await bridge.status()).isOnline).toBe(false)
    })

    test('closing a second time has no effect', async () => {
      const { bridge } = await started(start)
      await bridge.close()
      await bridge.close()
      expect(bridge.health()).toMatchObject({ gameAvailable: false, awaySince: expect.any(Number) })
    })
  })
}
