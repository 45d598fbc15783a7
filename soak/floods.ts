/** What an attacker floods a server with. */
import { clientFrame, handshakeText } from '../test/raw-bytes.ts'

export interface Flood {
  readonly title: string
  /** Connections at once; one that the server closes is opened again. */
  readonly connections: number
  /** Sent when a connection is open, as latin-1. */
  readonly opening?: string
  /** Sent again and again on all connections together. */
  readonly repeated?: string
  readonly bytesPerSecond: number
  /** The client never closes its own side. */
  readonly isStubborn?: boolean
  /** The client closes a connection at the first answer, and opens the next. */
  readonly isOnce?: boolean
}

/** 5 Mbit/s, of one attacker. */
const bytesPerSecond = 5_000_000 / 8

const request = (line: string, ...headers: readonly string[]) =>
  [`${line} HTTP/1.1`, 'Host: x', ...headers, '', ''].join('\r\n')
const frames = (...all: readonly Buffer[]) => Buffer.concat(all).toString('latin1')
const text = (value: object) => clientFrame(1, JSON.stringify(value))

/** @param key of the server, for the floods of a client that has it */
export function floods(key: string): Readonly<Record<string, Flood>> {
  const bearer = `Authorization: Bearer ${key}`
  const authenticate = handshakeText('/ws') + frames(text({ type: 'auth', payload: { token: key } }))
  const pipelined = { connections: 50, bytesPerSecond }
  return {
    anonymous: { title: 'anonymous requests', ...pipelined, repeated: request('GET /players').repeat(10) },
    public: {
      title: 'anonymous requests of /status',
      ...pipelined,
      repeated: request('GET /status').repeat(10),
    },
    'wrong-keys': {
      title: 'wrong keys',
      ...pipelined,
      repeated: request('GET /players', 'Authorization: Bearer wrong-wrong-wrong').repeat(10),
    },
    options: { title: 'OPTIONS', ...pipelined, repeated: request('OPTIONS /players').repeat(10) },
    handshakes: {
      title: 'handshakes',
      connections: 20,
      opening: handshakeText('/ws'),
      bytesPerSecond,
      isOnce: true,
    },
    'pings-before-auth': {
      title: 'pings before auth',
      connections: 20,
      opening: handshakeText('/ws'),
      repeated: frames(clientFrame(9, 'x')).repeat(20),
      bytesPerSecond,
    },
    'malformed-messages': {
      title: 'malformed messages of a key holder',
      connections: 20,
      opening: authenticate,
      repeated: frames(text({ type: 'nothing' })).repeat(20),
      bytesPerSecond,
    },
    refused: {
      title: 'refused connections that stay',
      connections: 1000,
      opening: 'hello there\r\n\r\n',
      bytesPerSecond,
      isStubborn: true,
    },
    idle: { title: 'connections that send nothing', connections: 1000, bytesPerSecond, isStubborn: true },
    screenshots: {
      title: 'screenshots of a key holder',
      connections: 8,
      repeated: request('GET /screenshot', bearer),
      bytesPerSecond: 5000,
    },
  }
}
