/**
 * The tests that every bridge must pass: the promises of the port (handlers/game-bridge.ts). The test of each bridge
 * calls `bridgeContract` with a function that starts the bridge with a new game.
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
 * @param start starts a new bridge with a new game; called for each test
 * @param beyond names of functions that this bridge has and the port does not have
 */
export function bridgeContract(
  name: string,
  start: () => Promise<BridgeUnderTest>,
  beyond: readonly string[] = [],
): void {
  describe(`the ${name} passes the suite of all game bridges`, () => {
    readsContract(start)
    writesContract(start)
    chatContract(start)
    eventsContract(start)
    availabilityContract(start)
    lostContract(start)
    abilitiesContract(start, beyond)
  })
}
