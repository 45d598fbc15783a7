import type { WebSocket } from 'ws'
import type { Account } from './accounts.ts'
import { type Frame, writeFrame } from './frame.ts'
import { EMsg, encode, numberOf } from './protobufs.ts'

/** One client's socket to the connection manager. */
export interface Connection {
  readonly socket: WebSocket
  /** Who is logged on here, once a logon has succeeded. */
  account: Account | null
  /** The client's own logon number: two sessions with the same one throw each other out. */
  logonId: number
  sessionId: number
}

/** What a responder is given. */
export interface Call {
  readonly frame: Frame
  readonly connection: Connection
}

/** What a responder answers; `undefined` answers nothing. */
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
