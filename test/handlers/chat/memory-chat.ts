import { type FarmChat, farmChat } from '../../../handlers/chat/farm-chat.ts'
import { ChatHistory } from '../../../handlers/chat/history.ts'
import type { GameBridge } from '../../../handlers/game-bridge.ts'

/** The events of a game whose chat lines are numbered in memory. @param first the number of the first line */
export const memoryChat = (game: Pick<GameBridge, 'subscribe'>, first = Date.now() * 1000): FarmChat =>
  farmChat(game, new ChatHistory(first))
