import { AccountBook } from './accounts.ts'
import type { Call, Connection, Reply, Responder } from './connection.ts'
import { defaultKnobs, type Knobs } from './knobs.ts'
import { EMsg, EResult, numberOf } from './protobufs.ts'

/** The state of the stand-in and the tables of its responders. Other files (logon, lobbies, content) add responders. */
export interface World {
  readonly book: AccountBook
  readonly knobs: Knobs
  readonly connections: Set<Connection>
  /** Adds the responder of a message, for instance `ClientRequestEncryptedAppTicket`. */
  onMessage(name: string, responder: Responder): void
  /** Adds the responder of a service method, for instance `Authentication.PollAuthSessionStatus#1`. */
  onMethod(name: string, responder: Responder): void
  /** Adds an answer of the web API, key-value text, for paths with a prefix. */
  onPath(prefix: string, answer: () => string): void
  /** The answer of the web API for a path; `undefined` when no prefix matches. */
  webAnswer(path: string): string | undefined
  /** Adds a listener for closed sockets to the connection manager. */
  onClose(listener: (connection: Connection) => void): void
  /** How often a message or service method was received. */
  count(name: string): number
  /** Seconds since 1970 on the platform's clock. */
  now(): number
}

/** The world with the functions that the connection manager calls. */
export interface DispatchingWorld extends World {
  answer(name: string, call: Call): Promise<Reply | undefined>
  closed(connection: Connection): void
}

/** @returns a world without accounts and responders. */
export function makeWorld(): DispatchingWorld {
  const responders = new Map<string, Responder>()
  const paths = new Map<string, () => string>()
  const counts = new Map<string, number>()
  const closeListeners: ((connection: Connection) => void)[] = []
  const knobs = defaultKnobs()
  return {
    book: new AccountBook(),
    knobs,
    connections: new Set(),
    onMessage: (name, responder) => void responders.set(name, responder),
    onMethod: (name, responder) => void responders.set(name, responder),
    onPath: (prefix, answer) => void paths.set(prefix, answer),
    webAnswer: (path) => [...paths].find(([prefix]) => path.startsWith(prefix))?.[1](),
    onClose: (listener) => void closeListeners.push(listener),
    count: (name) => counts.get(name) ?? 0,
    now: () => Math.floor(Date.now() / 1000) + knobs.clockAhead,
    async answer(name, call) {
      counts.set(name, (counts.get(name) ?? 0) + 1)
      if (knobs.silent.has(name)) return undefined
      return responders.get(name)?.(call)
    },
    closed: (connection) => closeListeners.forEach((listener) => void listener(connection)),
  }
}

/** @returns a result's number. */
export function result(name: string): number {
  return numberOf(EResult, name)
}

/** @returns a message's number. */
export function message(name: string): number {
  return numberOf(EMsg, name)
}
