/** Reads the snapshot of a topic: what `GET` on the topic answers. */
import type { GameBridge } from '../game-bridge.ts'
import type { Cabins, Players, Status } from '../game-records.ts'
import { errorMessage, type Topic } from './messages.ts'

/** @throws {FarmError} as the read does */
export function readTopic(game: Pick<GameBridge, Topic>, topic: Topic): Promise<Players | Status | Cabins> {
  switch (topic) {
    case 'players':
      return game.players()
    case 'status':
      return game.status()
    case 'cabins':
      return game.cabins()
  }
}

/** The message to a subscriber when the snapshot cannot be read now. */
export const noSnapshotYet = (topic: Topic): string =>
  errorMessage('game_unavailable', `No snapshot of ${topic} yet; it follows when the game is back`)
