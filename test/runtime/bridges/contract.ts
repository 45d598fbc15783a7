/**
 * What every bridge promises: the port's own sentences (handlers/game-bridge.ts). A bridge's test calls
 * `bridgeContract` with a way to start itself before a game of its own.
 */
import { describe } from 'vitest'
import { abilitiesContract } from './contract/abilities.ts'
import { availabilityContract } from './contract/availability.ts'
import { chatContract } from './contract/chat.ts'
import { eventsContract } from './contract/events.ts'
import { lostContract } from './contract/lost.ts'
import { readsContract } from './contract/reads.ts'
import { writesContract } from './contract/writes.ts'
import type { BridgeUnderTest } from './steered-game.ts'

/**
 * @param start a new bridge before a new game, for each test its own
 * @param beyond functions that this bridge has and the port has not
 */
export function bridgeContract(
  name: string,
  start: () => Promise<BridgeUnderTest>,
  beyond: readonly string[] = [],
): void {
  describe(`the ${name} keeps the contract of every game bridge`, () => {
    readsContract(start)
    writesContract(start)
    chatContract(start)
    eventsContract(start)
    availabilityContract(start)
    lostContract(start)
    abilitiesContract(start, beyond)
  })
}
