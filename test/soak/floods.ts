/** The floods of an attacker. */
import { clientFrame, handshakeText } from '../raw-bytes.ts'

export interface Flood {
  readonly title: string
  /** Simultaneous connections; one that the server closes is opened again. */
  readonly connections: number
  /** Sent when a connection is open, as latin-1. */
  readonly opening?: string
  /** Sent repeatedly on all connections together. */
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

const refused = {
  title: 'refused connections that stay',
  connections: 1000,
  opening: 'hello there\r\n\r\n',
  bytesPerSecond,
  isStubborn: true,
}
const idle = { title: 'connections that send nothing', connections: 1000, bytesPerSecond, isStubborn: true }
const pipelined = { connections: 50, bytesPerSecond }
const reconnecting = { connections: 50, bytesPerSecond, isOnce: true }
const wrongKey = 'Authorization: Bearer wrong-wrong-wrong'

/** The floods of the control API. @param key of the server, for the floods of a client that has it */
export function floods(key: string): Readonly<Record<string, Flood>> {
  const bearer = `Authorization: Bearer ${key}`
  const authenticate = handshakeText('/ws') + frames(text({ type: 'auth', payload: { token: key } }))
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
      repeated: request('GET /players', wrongKey).repeat(10),
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
    refused,
    idle,
    screenshots: {
      title: 'screenshots of a key holder',
      connections: 8,
      repeated: request('GET /screenshot', bearer),
      bytesPerSecond: 5000,
    },
  }
}

/** The floods of the ticket service. */
export const ticketFloods: Readonly<Record<string, Flood>> = {
  'ticket-anonymous': {
    title: 'ticket service, anonymous requests',
    ...pipelined,
    repeated: request('GET /steam/app-ticket').repeat(10),
  },
  'ticket-wrong-keys': {
    title: 'ticket service, wrong keys',
    ...pipelined,
    repeated: request('GET /steam/app-ticket', wrongKey).repeat(10),
  },
  'ticket-reconnecting': {
    title: 'ticket service, a connection for each wrong key',
    ...reconnecting,
    opening: request('GET /steam/app-ticket', wrongKey),
  },
  'ticket-not-http': {
    title: 'ticket service, a connection for each request that is not HTTP',
    ...reconnecting,
    opening: 'hello there\r\n\r\n',
  },
  'ticket-no-host': {
    title: 'ticket service, a connection for each request without Host',
    ...reconnecting,
    opening: 'GET /health HTTP/1.1\r\n\r\n',
  },
  'ticket-handshakes': {
    title: 'ticket service, handshakes',
    ...reconnecting,
    opening: handshakeText('/health'),
  },
  'ticket-refused': { ...refused, title: `ticket service, ${refused.title}` },
  'ticket-idle': { ...idle, title: `ticket service, ${idle.title}` },
}
