import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'
import type { Topic } from '../../handlers/chat/messages.ts'
import type { ChatState } from '../../handlers/chat/session.ts'
import type { Member } from './fan-out.ts'

/** One connected client. */
export class ChatClient {
  readonly ws: WebSocket
  readonly socket: Socket
  readonly address: string
  state: ChatState
  member: Member | undefined
  /** The chat line after which it hears everything. */
  heardFrom = 0
  /** Topics whose snapshot the game could not give yet. */
  readonly owed = new Set<Topic>()
  deadline: NodeJS.Timeout | undefined
  /** The second, of every thirty, in which it is pinged: the one in which it came. */
  readonly pingSecond: number
  missedPings = 0
  /** Lines go into the game in the order they were sent. */
  saying: Promise<void> = Promise.resolve()
  constructor(ws: WebSocket, socket: Socket, address: string, state: ChatState, pingSecond: number) {
    this.ws = ws
    this.socket = socket
    this.address = address
    this.state = state
    this.pingSecond = pingSecond
  }
}
