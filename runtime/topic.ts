import type { Topic } from '../handlers/chat/messages.ts'
import type { GameBridge } from '../handlers/game-bridge.ts'

/** What a snapshot of a topic holds: what its endpoint answers. @throws {GameError} */
export function readTopic(game: GameBridge, topic: Topic): Promise<unknown> {
  switch (topic) {
    case 'players':
      return game.players()
    case 'status':
      return game.status()
    case 'cabins':
      return game.cabins()
  }
}
