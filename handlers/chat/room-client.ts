/** A client as the chat room sees it: what the room remembers of it, and how it is reached. */

import { type ChatState, unauthenticated } from './client-session.ts'
import { type Topic, topics } from './messages.ts'

/** What is told to many clients at once: the game's chat, or the events of a topic. */
export type Channel = 'chat' | Topic

/** Everything the room remembers of a client: plain JSON, so that a socket's attachment can hold it. */
export interface ClientState {
  readonly session: ChatState
  /** The `seq` of the first chat line that it was told as it was said; undefined until it may hear the chat. */
  readonly heardFrom?: number | undefined
  /** Topics whose events it hears: it has had their snapshot. */
  readonly topics: readonly Topic[]
  /** Topics that it subscribed to and whose snapshot it has yet to get; it hears no events of them. */
  readonly awaited: readonly Topic[]
}

export const newClient: ClientState = { session: unauthenticated, topics: [], awaited: [] }

/** What a runtime gives the room for each socket. */
export interface RoomClient {
  /** Of the peer; wrong keys are counted by it. */
  readonly address: string
  /** Milliseconds since 1970. */
  readonly connectedAt: number
  /** Written by the room alone. What is published goes to a client while `channelsOf` its state names the channel. */
  state: ClientState
  /** Sends texts to this client alone, in this order, after everything that was sent to it before. */
  send(...texts: readonly string[]): void
  close(code: number, reason: string): void
}

/** The channels that a client in this state hears. */
export const channelsOf = ({ session, topics: followed }: ClientState): readonly Channel[] =>
  session.phase === 'open' ? ['chat', ...followed] : []

/** Two lists of topics as one, each topic once, in the order in which they are always named. */
export const joined = (some: readonly Topic[], others: readonly Topic[]): readonly Topic[] =>
  topics.filter((topic) => some.includes(topic) || others.includes(topic))

export const without = (some: readonly Topic[], others: readonly Topic[]): readonly Topic[] =>
  some.filter((topic) => !others.includes(topic))
