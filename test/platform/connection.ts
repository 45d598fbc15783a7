import type { WebSocket } from 'ws'
import type { Account } from './accounts.ts'
import { type Frame, writeFrame } from './frame.ts'
import { EMsg, encode, numberOf } from './protobufs.ts'

/** One client's socket to the connection manager. */
export interface Connection {
  readonly socket: WebSocket
  /** The logged-on account; null before a logon has succeeded. */
  account: Account | null
  /** Logon ID of the client. A new session ends an older one of the account with the same ID. */
  logonId: number
  sessionId: number
}

/** A received message and its connection. */
export interface Call {
  readonly frame: Frame
  readonly connection: Connection
}

/** The reply of a responder. A responder that returns `undefined` sends none. */
export interface Reply {
  /** Message number of the reply; not needed for a service method. */
  readonly message?: number
  readonly body: Uint8Array
  /** Result in the header, 1 unless given. */
  readonly result?: number
  /** Whether to send it inside a gzipped `Multi`. */
  readonly multi?: boolean
  /** Further header fields. */
  readonly header?: object
}

export type Responder = (call: Call) => Reply | undefined | Promise<Reply | undefined>

/** Ends a session from the platform's side: `ClientLoggedOff` with a result, then the socket closes. */
export function logOff(connection: Connection, result: number): void {
  const header = { steamid: connection.account?.steamId ?? '0', client_sessionid: connection.sessionId }
  const body = encode('CMsgClientLoggedOff', { eresult: result })
  connection.socket.send(writeFrame(numberOf(EMsg, 'ClientLoggedOff'), header, body))
  connection.account = null
  setTimeout(() => connection.socket.close(), 20).unref()
}
