import { describe, expect, test } from 'vitest'
import { eventually } from '../../wait.ts'
import {
  awkwardIds,
  failureOf,
  farmhandIds,
  person,
  playerIds,
  type Start,
  started,
  unlessUnsupported,
} from './expectations.ts'

/** An id that no farmhand has. */
const unknownPerson = person(4_611_686_018_427_387_905n)

export function writesContract(start: Start): void {
  describe('writes', () => {
    test('the rendering rate is answered, sent as an event and read back', async () => {
      const { bridge, events } = await started(start)
      const before = await bridge.rendering()
      expect(await bridge.setRendering(before + 15)).toBe(before)
      expect(await bridge.rendering()).toBe(before + 15)
      await eventually(() => expect(events).toContainEqual({ type: 'rendering_changed', fps: before + 15 }))
      expect(await bridge.setRendering(0)).toBe(before + 15)
      expect(await bridge.rendering()).toBe(0)
    })

    test('the status shows a time that was set', async () => {
      const { bridge } = await started(start)
      await bridge.setTime(1230)
      await eventually(async () => expect((await bridge.status()).timeOfDay).toBe(1230))
    })

    test('an admin is made by id, also when two players share a name', async () => {
      const { bridge, game } = await started(start)
      // The two ids are the same double.
      const [id, twin] = [2n ** 53n + 1n, 2n ** 53n]
      await game.join({ id, name: 'Abby' })
      await game.join({ id: twin, name: 'Abby' })
      await eventually(async () =>
        expect(await playerIds(bridge)).toEqual(expect.arrayContaining([id, twin])),
      )
      expect(await bridge.grantAdmin(person(id))).toBe('Abby')
      expect(game.isAdmin(id)).toBe(true)
      expect(game.isAdmin(twin)).toBe(false)
    })

    test('a farmhand that is offline can be made an admin too, and twice', async () => {
      const { bridge, game } = await started(start)
      await game.join({ id: -5n, name: 'Сергей' })
      await game.leave(-5n)
      await eventually(async () => expect(await farmhandIds(bridge)).toContain(-5n))
      for (const _time of [1, 2]) expect(await bridge.grantAdmin(person(-5n))).toBe('Сергей')
      expect(game.isAdmin(-5n)).toBe(true)
    })

    test('every id, large or negative, deletes exactly one farmhand', async () => {
      const { bridge, game } = await started(start)
      for (const id of awkwardIds) {
        await game.join({ id, name: 'Twin' })
        await game.leave(id)
      }
      // The same double as the first of them.
      const neighbour = 2n ** 53n
      await game.join({ id: neighbour, name: 'Twin' })
      await game.leave(neighbour)
      await eventually(async () =>
        expect(await farmhandIds(bridge)).toEqual(expect.arrayContaining([...awkwardIds, neighbour])),
      )
      for (const id of awkwardIds) await bridge.deleteFarmhand(person(id))
      await eventually(async () => {
        const left = await farmhandIds(bridge)
        for (const id of awkwardIds) expect(left).not.toContain(id)
        expect(left).toContain(neighbour)
      })
    })

    test('a deleted farmhand disappears from farmhands and cabins, and its slot is free', async () => {
      const { bridge, game } = await started(start)
      await game.join({ id: 77n, name: 'Abby' })
      await game.leave(77n)
      await eventually(async () =>
        expect((await bridge.cabins()).cabins.map(({ ownerId }) => ownerId)).toContain(77n),
      )
      await eventually(async () => expect(await playerIds(bridge)).not.toContain(77n))
      await bridge.deleteFarmhand(person(77n))
      await eventually(async () => {
        const { farmhands } = await bridge.farmhands()
        expect(farmhands.map(({ id }) => id)).not.toContain(77n)
        expect(farmhands.some(({ isCustomized }) => !isCustomized)).toBe(true)
        const cabins = await bridge.cabins()
        expect(cabins.cabins.map(({ ownerId }) => ownerId)).not.toContain(77n)
        expect(cabins.availableCount).toBeGreaterThan(0)
      })
    })

    test('a farmhand that is online is not deleted', async () => {
      const { bridge, game } = await started(start)
      await game.join({ id: 77n, name: 'Abby' })
      await eventually(async () => expect(await playerIds(bridge)).toContain(77n))
      expect(await failureOf(bridge.deleteFarmhand(person(77n)))).toEqual({
        kind: 'farmhand_online',
        change: 'delete',
        label: 'id=77',
      })
      expect(await farmhandIds(bridge)).toContain(77n)
    })

    test('an unknown id is farmhand_not_found or player_not_found, and the text names the id', async () => {
      const { bridge } = await started(start)
      const { label } = unknownPerson
      expect(await failureOf(bridge.deleteFarmhand(unknownPerson))).toEqual({
        kind: 'farmhand_not_found',
        label,
      })
      expect(await failureOf(bridge.grantAdmin(unknownPerson))).toEqual({ kind: 'player_not_found', label })
    })

    test('a rebind gives the farmhand to that account, or is unsupported', async () => {
      const { bridge, game } = await started(start)
      await game.join({ id: 77n, name: 'Abby' })
      await game.leave(77n)
      await eventually(async () => expect(await farmhandIds(bridge)).toContain(77n))
      const galaxyAccount = '46000000000000042'
      const outcome = await bridge.rebindFarmhand(person(77n), galaxyAccount).then(
        () => 'bound',
        async (error: unknown) => (await failureOf(Promise.reject(error))).kind,
      )
      expect(['bound', 'unsupported']).toContain(outcome)
      if (outcome === 'unsupported') return
      await eventually(async () =>
        expect((await bridge.farmhands()).farmhands).toContainEqual(
          expect.objectContaining({ id: 77n, claimedVia: 'galaxy' }),
        ),
      )
      expect(await failureOf(bridge.rebindFarmhand(unknownPerson, galaxyAccount))).toEqual({
        kind: 'farmhand_not_found',
        label: unknownPerson.label,
      })
    })

    test('a write reaches the game exactly once, whether it succeeds or is refused', async () => {
      const { bridge, game } = await started(start)
      await game.join({ id: 77n, name: 'Abby' })
      await eventually(async () => expect(await playerIds(bridge)).toContain(77n))
      const once = async (write: () => Promise<unknown>) => {
        const before = game.writes()
        await write()
        expect(game.writes()).toBe(before + 1)
      }
      await once(() => bridge.setTime(900))
      await once(() => bridge.setRendering(5))
      await once(() => bridge.grantAdmin(person(77n)))
      await once(() => failureOf(bridge.deleteFarmhand(person(77n))))
      await once(() => failureOf(bridge.deleteFarmhand(unknownPerson)))
      await once(() => failureOf(bridge.grantAdmin(unknownPerson)))
    })

    test('writes that are sent at the same time are all made', async () => {
      const { bridge, game } = await started(start)
      const before = game.writes()
      await Promise.all([
        bridge.setTime(900),
        bridge.setRendering(7),
        bridge.sendChat({ author: 'a', message: 'b' }),
      ])
      await eventually(() => expect(game.writes()).toBe(before + 3))
      expect(await bridge.rendering()).toBe(7)
    })

    test('the world is not replaced while players are connected', async () => {
      const { bridge, game } = await started(start)
      await game.join({ id: 77n, name: 'Abby' })
      await eventually(async () => expect(await playerIds(bridge)).toContain(77n))
      for (const call of [() => bridge.newGame({}), () => bridge.reload()])
        expect(['players_connected', 'unsupported']).toContain((await failureOf(call())).kind)
      expect(await playerIds(bridge)).toContain(77n)
    })

    test('setting the clock speed answers the new length of a game minute', async () => {
      const { bridge } = await started(start)
      const milliseconds = await unlessUnsupported(bridge.setClockSpeed(10))
      expect(milliseconds ?? 70).toBe(70)
    })
  })
}
