/**
 * The tests that every bridge must pass: the promises of the port (handlers/game-bridge.ts). The test of each bridge
 * calls `bridgeContract` with a function that starts the bridge with a new game.
 */
import { describe, expect, test } from 'vitest'
import type { FarmFailure } from '../../handlers/farm-error.ts'
import { type AbilityName, abilities, abilityNames } from '../../handlers/game-abilities.ts'
import type { GameBridge } from '../../handlers/game-bridge.ts'
import type { GameEvent } from '../../handlers/game-event.ts'
import { problemBody, problemOf } from '../../handlers/problem.ts'
import { eventually } from '../wait.ts'
import { abilitiesContract, maybeMissing, sampleCall } from './contract/abilities.ts'
import { availabilityContract } from './contract/availability.ts'
import { chatContract } from './contract/chat.ts'
import {
  failureOf,
  farmhandIds,
  person,
  playerIds,
  type Start,
  started,
  unknownOutcome,
} from './contract/expectations.ts'
import { readsContract } from './contract/reads.ts'
import { writesContract } from './contract/writes.ts'
import type { BridgeUnderTest, SteeredGame } from './steered-game.ts'

/** Calls an ability of a silent game, and loses the game once it has received the call. @param lose loses the game */
async function lostWhileAsked(
  bridge: GameBridge,
  game: SteeredGame,
  name: AbilityName,
  lose: () => unknown = () => game.goOffline(),
): Promise<FarmFailure> {
  // The chat socket of the game is open.
  await bridge.sendChat({ author: 'Bot', message: 'hello' })
  await game.fallSilent()
  const failure = failureOf(sampleCall(bridge, name))
  let isOver = false
  void failure.then(() => {
    isOver = true
  })
  await eventually(() => expect(isOver || game.unanswered().includes(name)).toBe(true))
  if (isOver) expect(maybeMissing).toContain(name)
  await lose()
  return failure
}

const named = (effect: 'read' | 'write') => abilityNames.filter((name) => abilities[name].effect === effect)

function lostContract(start: Start): void {
  describe('a game that is lost during a call', () => {
    test.each(named('write'))('in %s: whether the change was made is unknown', async (name) => {
      const { bridge, game } = await started(start)
      const failure = await lostWhileAsked(bridge, game, name)
      if (failure.kind !== 'unsupported') expect(failure).toEqual(unknownOutcome)
    })

    test.each(named('write'))(
      'because the bridge is closed, in %s: whether the change was made is unknown',
      async (name) => {
        const { bridge, game } = await started(start)
        const failure = await lostWhileAsked(bridge, game, name, () => bridge.close())
        if (failure.kind !== 'unsupported') expect(failure).toEqual(unknownOutcome)
      },
    )

    test.each(named('read'))('in %s: the game is unavailable, and trying again is safe', async (name) => {
      const { bridge, game } = await started(start)
      expect(await lostWhileAsked(bridge, game, name)).toEqual({ kind: 'unavailable' })
    })

    test('a write whose answer is lost is 504 game_timeout, outcome unknown, without retry', async () => {
      const { bridge, game } = await started(start)
      const problem = problemOf(await lostWhileAsked(bridge, game, 'setTime'))
      expect(problem.status).toBe(504)
      expect(problemBody(problem)).toEqual({
        success: false,
        code: 'game_timeout',
        error: 'The game server did not answer; whether the change was made is unknown',
      })
      expect(problem.details.retryAfter).toBeUndefined()
    })
  })
}
const kinds = (events: readonly GameEvent[]) => events.map(({ type }) => type)

function eventsContract(start: Start): void {
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

/**
 * @param start starts a new bridge with a new game; called for each test
 * @param beyond names of functions that this bridge has and the port does not have
 * @param writes whether the bridge makes them itself
 */
export function bridgeContract(
  name: string,
  start: () => Promise<BridgeUnderTest>,
  beyond: readonly string[] = [],
  writes = true,
): void {
  describe(`the ${name} passes the suite of all game bridges`, () => {
    readsContract(start)
    if (writes) writesContract(start)
    chatContract(start)
    eventsContract(start)
    availabilityContract(start, writes)
    lostContract(start)
    abilitiesContract(start, beyond)
  })
}
