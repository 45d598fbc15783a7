/** A client of the chat room: the state that the room keeps of it, and what a runtime implements for its socket. */
import { allows, mayHear } from '../key-holder.ts'
import { unauthenticated } from './client-session.ts'
import { type Followed, followable, type Topic } from './messages.ts'
import type { ChatState } from './session-steps.ts'

/** What can be published to many clients at once: the game's chat, its gaps and outages, or the events of a topic. */
export type Channel = 'chat' | 'gap' | Followed

/** Everything that the room keeps of a client: plain JSON, so that a socket's attachment can store it. */
export interface ClientState {
  readonly session: ChatState
  /** The `seq` of the first chat line after the client was let into the chat; undefined before that. */
  readonly firstSeq?: number | undefined
  /** A `since` that was perhaps never given out: until that is known, the client gets no chat line. */
  readonly ahead?: number | undefined
  /** Topics whose snapshot the client has, and `log`; it gets their events. */
  readonly topics: readonly Followed[]
  /** Subscribed topics whose snapshot the client does not have yet; it gets none of their events. */
  readonly awaited: readonly Topic[]
}

export const newClient: ClientState = { session: unauthenticated, topics: [], awaited: [] }

/** Implemented by each runtime, one for each socket. */
export interface RoomClient {
  /** Address of the peer; wrong keys are counted for each address. */
  readonly address: string
  /** Whether it is farmgate's command line, as the client itself says. */
  readonly isCommand: boolean
  /** Milliseconds since 1970. */
  readonly connectedAt: number
  /** Only the room sets it. A client gets what is published on a channel while `channelsOf(state)` includes the channel. */
  state: ClientState
  /** Sends texts to this client only, in this order, after everything that was sent to it before. */
  send(...texts: readonly string[]): void
  close(code: number, reason: string): void
}

export function keep(client: RoomClient, change: Partial<ClientState>): void {
  client.state = { ...client.state, ...change }
}

/** The channels whose messages a client in this state gets. */
export function channelsOf({ session, topics: followed, ahead }: ClientState): readonly Channel[] {
  if (session.phase !== 'open' || !mayHear(session.holder)) return []
  const chat: readonly Channel[] = ahead !== undefined ? [] : session.stays ? ['chat', 'gap'] : ['chat']
  return allows(session.holder, 'read') ? [...chat, ...followed] : chat
}

/** The union of two lists of topics, each topic once, in the order of `followable`. */
export const joined = <T extends Followed>(some: readonly T[], others: readonly T[]): readonly T[] =>
  followable.filter(
    (topic): topic is T => some.some((one) => one === topic) || others.some((one) => one === topic),
  )

/** The topics of the first list that are not in the second. */
export const without = <T extends Followed>(some: readonly T[], others: readonly Followed[]): readonly T[] =>
  some.filter((topic) => !others.includes(topic))
