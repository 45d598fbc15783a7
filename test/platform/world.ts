import { AccountBook } from './accounts.ts'
import type { Call, Connection, Reply, Responder } from './connection.ts'
import { defaultKnobs, type Knobs } from './knobs.ts'
import { EMsg, EResult, numberOf } from './protobufs.ts'

/** Everything the stand-in knows, and the tables by which it answers. Other parts (depots, content) add to the tables. */
export interface World {
  readonly book: AccountBook
  readonly knobs: Knobs
  readonly connections: Set<Connection>
  /** Responders by message name, for instance `ClientRequestEncryptedAppTicket`. */
  onMessage(name: string, responder: Responder): void
  /** Responders by service method, for instance `Authentication.PollAuthSessionStatus#1`. */
  onMethod(name: string, responder: Responder): void
  /** Answers of the web API, key-value text, by the beginning of the path. */
  onPath(prefix: string, answer: () => string): void
  /** The web API's answer for a path; `undefined` when nobody knows it. */
  webAnswer(path: string): string | undefined
  /** Called when a socket to the connection manager closes. */
  onClose(listener: (connection: Connection) => void): void
  /** How often each message or service method was received, by name. */
  count(name: string): number
  /** Seconds since 1970 on the platform's clock. */
  now(): number
}

/** The half of the world that the connection manager drives. */
export interface Switchboard extends World {
  answer(name: string, call: Call): Promise<Reply | undefined>
  closed(connection: Connection): void
}

/** @returns an empty platform: no accounts, nothing it can answer yet. */
export function makeWorld(): Switchboard {
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
