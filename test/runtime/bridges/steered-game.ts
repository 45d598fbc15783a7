/** The game behind a bridge, as the contract suite steers it; each bridge's own test brings one. */
import type { AbilityName } from '../../../handlers/game-abilities.ts'
import type { ChatLine, GameBridge } from '../../../handlers/game-bridge.ts'

type Now<T = void> = T | Promise<T>

/**
 * A game in which nothing happens unless it is steered, or done through the bridge. It starts with its
 * day running (no festival, no save), whoever is on it, and it never ends a day by itself.
 */
export interface SteeredGame {
  /** Comes in and claims a farmhand of exactly this id and name, or comes back to it. */
  join(player: { readonly id: bigint; readonly name: string }): Now
  /** Goes; the farmhand stays, claimed and offline. */
  leave(id: bigint): Now
  /** Somebody who is there writes in the game's public chat. */
  say(id: bigint, message: string): Now
  /** Lines that came into the game's chat from outside, oldest first. */
  relayed(): readonly ChatLine[]
  isAdmin(id: bigint): boolean
  /** Changes that were asked of the game so far, chat lines and refused ones included. */
  writes(): number
  /** A festival: the game says that it is not ready. */
  festival(isOn: boolean): Now
  /** The game's loop stands still: it answers reads, says so in its health, and keeps writes waiting. */
  freeze(): Now
  thaw(): Now
  /** Takes every call and answers none, reads included. */
  fallSilent(): Now
  /** What the game was asked for and, frozen or silent, has not answered. */
  unanswered(): readonly AbilityName[]
  /** Cannot be reached any more: connections break, new ones are refused. */
  goAway(): Now
  comeBack(): Now
}

export interface BridgeUnderTest {
  readonly bridge: GameBridge
  readonly game: SteeredGame
  /** Stops the game as well; the suite closes the bridge itself. */
  close(): Promise<void>
}
