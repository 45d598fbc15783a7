import { describe, expect, test } from 'vitest'
import type { GameEvent } from '../../../handlers/game-event.ts'
import { eventually } from '../../wait.ts'
import { farmhandIds, person, playerIds, type Start, started } from './expectations.ts'

const kinds = (events: readonly GameEvent[]) => events.map(({ type }) => type)

export function eventsContract(start: Start): void {
  describe('events', () => {
    test('each player who joins or leaves is one event, with an exact id', async () => {
      const { bridge, game, events } = await started(start)
      const id = -(2n ** 53n) - 1n
      const reported = () =>
        events
          .filter((event) => event.type === 'player_joined' || event.type === 'player_left')
          .filter(({ player }) => player.id === id)
          .map(({ type, player: { name, isOnline } }) => ({ type, name, isOnline }))
      await game.join({ id, name: '美咲' })
      await eventually(async () => expect(await playerIds(bridge)).toContain(id))
      await eventually(() => expect(reported()).toHaveLength(1))
      await game.leave(id)
      await eventually(() =>
        expect(reported()).toEqual([
          { type: 'player_joined', name: '美咲', isOnline: true },
          { type: 'player_left', name: '美咲', isOnline: false },
        ]),
      )
    })

    test('setting the time to 2600 ends the day: a new day starts with an event', async () => {
      const { bridge, events } = await started(start)
      const { day } = await bridge.status()
      await bridge.setTime(2600)
      await eventually(async () => expect((await bridge.status()).day).toBe(day + 1))
      await eventually(() =>
        expect(events.filter(({ type }) => type === 'day_started')).toEqual([
          expect.objectContaining({ day: day + 1 }),
        ]),
      )
      expect((await bridge.status()).timeOfDay).toBeLessThan(2600)
    })

    test('during a festival an event says isReady false, and no write is refused', async () => {
      const { bridge, game, events } = await started(start)
      await game.join({ id: 77n, name: 'Abby' })
      await game.join({ id: 78n, name: 'Zoë' })
      await game.leave(78n)
      await eventually(async () => {
        expect(await playerIds(bridge)).toEqual(expect.arrayContaining([77n]))
        expect(await farmhandIds(bridge)).toContain(78n)
        expect(await playerIds(bridge)).not.toContain(78n)
      })
      await game.festival(true)
      await eventually(async () => expect((await bridge.status()).isReady).toBe(false))
      await eventually(() => expect(events).toContainEqual({ type: 'ready_changed', isReady: false }))
      expect((await bridge.status()).dayTransitionComplete).toBe(true)
      await bridge.setTime(1400)
      await bridge.grantAdmin(person(77n))
      await bridge.deleteFarmhand(person(78n))
      await game.festival(false)
      await eventually(() => expect(events).toContainEqual({ type: 'ready_changed', isReady: true }))
    })

    test('a changed status is an event with the new values', async () => {
      const { bridge, events } = await started(start)
      await bridge.setTime(1510)
      await eventually(() =>
        expect(events).toContainEqual({
          type: 'status_changed',
          status: expect.objectContaining({ timeOfDay: 1510 }),
        }),
      )
    })

    test('a cabin that is claimed or freed is an event', async () => {
      const { bridge, game, events } = await started(start)
      const owners = () =>
        events.flatMap((event) =>
          event.type === 'cabin_changed' ? [event.cabins.cabins.map(({ ownerId }) => ownerId)] : [],
        )
      await game.join({ id: 77n, name: 'Abby' })
      await eventually(() => expect(owners().at(-1)).toContain(77n))
      await game.leave(77n)
      await eventually(async () => expect(await playerIds(bridge)).not.toContain(77n))
      await bridge.deleteFarmhand(person(77n))
      await eventually(() => expect(owners().at(-1)).not.toContain(77n))
    })

    test('without a change there is no event', async () => {
      const { bridge, events } = await started(start)
      const before = [...kinds(events)]
      await Promise.all([bridge.players(), bridge.status(), bridge.cabins(), bridge.farmhands()])
      await bridge.setRendering(await bridge.rendering())
      expect(kinds(events)).toEqual(before)
    })

    test('every listener receives every event, and none after it has stopped listening', async () => {
      const { bridge, game } = await started(start)
      const [first, second]: [GameEvent[], GameEvent[]] = [[], []]
      const stop = bridge.subscribe((event) => first.push(event))
      bridge.subscribe((event) => second.push(event))
      await game.join({ id: 77n, name: 'Tester' })
      const joined = expect.objectContaining({ type: 'player_joined' })
      await eventually(() => {
        expect(first).toContainEqual(joined)
        expect(second).toContainEqual(joined)
      })
      stop()
      const soFar = first.length
      await game.leave(77n)
      await eventually(() => expect(kinds(second)).toContain('player_left'))
      expect(first).toHaveLength(soFar)
    })
  })
}
