/**
 * The game behind a bridge, as the tests of all bridges control it; the test of each bridge has its own implementation.
 */
import type { AbilityName } from '../../handlers/game-abilities.ts'
import type { ChatLine, GameBridge } from '../../handlers/game-bridge.ts'

type Now<T = void> = T | Promise<T>

/**
 * A game that changes only by these controls or by calls through the bridge. It starts on an ordinary day (no festival,
 * no save), and no day ends automatically.
 */
export interface SteeredGame {
  /** A player connects as the farmhand of this id and name, which is created if needed. */
  join(player: { readonly id: bigint; readonly name: string }): Now
  /** The player disconnects; the farmhand stays claimed and is offline. */
  leave(id: bigint): Now
  /** A connected player writes a line in the game's public chat. */
  say(id: bigint, message: string): Now
  /** Lines that the bridge added to the game's chat, oldest first. */
  relayed(): readonly ChatLine[]
  isAdmin(id: bigint): boolean
  /** The number of writes that reached the game, chat lines and rejected ones included. */
  writes(): number
  /** A festival: the game says that it is not ready. */
  festival(isOn: boolean): Now
  /** Stops the game loop: reads are answered, the health says frozen, and writes wait. */
  freeze(): Now
  thaw(): Now
  /** The game accepts every call and answers none, reads included. */
  fallSilent(): Now
  /** Calls that the game has received and, because it is frozen or silent, not answered. */
  unanswered(): readonly AbilityName[]
  /** The game is unreachable: its connections break and new ones are refused. */
  goOffline(): Now
  comeBack(): Now
}

export interface BridgeUnderTest {
  readonly bridge: GameBridge
  readonly game: SteeredGame
  /** Stops the game too; the suite closes the bridge itself. */
  close(): Promise<void>
}
