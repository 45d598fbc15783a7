/** Sends random input to a server, on several connections at a time. */
import { connect } from 'node:net'
import { endpoints } from '../../../handlers/endpoints/all-endpoints.ts'
import { clientFrame, handshakeText } from '../../raw-bytes.ts'
import { hostileValues } from '../requests/values.ts'

/** 0 ≤ x < 1 */
type Random = () => number

const below = (random: Random, limit: number) => Math.floor(random() * limit)
const pick = <T>(random: Random, all: readonly [T, ...T[]]): T => all[below(random, all.length)] ?? all[0]
const bytes = (random: Random, limit: number) =>
  Buffer.from(Array.from({ length: below(random, limit) }, () => below(random, 256)))
const latin = (random: Random, limit: number) => bytes(random, limit).toString('latin1')
/** Latin-1 without characters that would start another line. */
const word = (random: Random) => latin(random, 40).replaceAll(/[\r\n]/g, '')

const paths = [
  ...endpoints.map(({ path }) => path),
  '/ws',
  '/docs',
  '/metrics',
  '/',
  '//',
  '/nothing',
  '*',
] as const
const names = [
  ...new Set(endpoints.flatMap(({ parameters }) => Object.keys(parameters))),
  'x',
  '__proto__',
] as const
const headers = [
  'Authorization',
  'Origin',
  'Host',
  'Connection',
  'Upgrade',
  'Expect',
  'Accept',
  'Range',
  'Cookie',
  'X-Request-Id',
  'X-Forwarded-For',
  'Content-Length',
  'Transfer-Encoding',
  'Sec-WebSocket-Key',
  'Sec-WebSocket-Version',
  'TE',
  'Trailer',
] as const

const oneOf = <T>(random: Random, all: readonly T[]): T => all[below(random, all.length)] as T

/** Bytes instead of HTTP. */
const randomBytes = (random: Random) => Buffer.concat([bytes(random, 300), Buffer.from('\r\n\r\n')])

/** A more or less broken request with `Connection: close`. @param key of the server, which some requests have */
function randomRequest(random: Random, key: string): Buffer {
  const method = pick(random, ['GET', 'GET', 'POST', 'DELETE', 'HEAD', 'OPTIONS', 'PUT', word(random)])
  const query = Array.from(
    { length: below(random, 4) },
    () => `${oneOf(random, names)}=${random() < 0.7 ? oneOf(random, hostileValues) : word(random)}`,
  )
  // A long poll without a match would take its ten seconds.
  const target = `${random() < 0.9 ? oneOf(random, paths) : word(random)}?timeout=1&${query.join('&')}`
  const lines = Array.from({ length: below(random, 4) }, () => `${oneOf(random, headers)}: ${word(random)}`)
  if (random() < 0.6) lines.push(`Authorization: Bearer ${key}`)
  const version = random() < 0.95 ? 'HTTP/1.1' : word(random)
  const head = [`${method} ${target} ${version}`, 'Host: x', 'Connection: close', ...lines].join('\r\n')
  return broken(random, Buffer.from(`${head}\r\n\r\n${random() < 0.2 ? latin(random, 200) : ''}`, 'latin1'))
}

/** A more or less broken handshake, with bytes after it. */
function randomHandshake(random: Random): Buffer {
  const lines = Array.from({ length: below(random, 3) }, () => `${oneOf(random, headers)}: ${word(random)}`)
  const target = random() < 0.8 ? '/ws' : `/${word(random)}`
  return broken(
    random,
    Buffer.concat([Buffer.from(handshakeText(target, ...lines), 'latin1'), bytes(random, 50)]),
  )
}

/** Frames, most of them well-formed, with messages close to those of the chat. */
function randomFrames(random: Random, key: string): Buffer {
  const frames = Array.from({ length: 1 + below(random, 6) }, () =>
    clientFrame(pick(random, [1, 1, 1, 1, 0, 2, 8, 9, 10, below(random, 16)]), payload(random, key), {
      fin: random() < 0.9,
      reserved: random() < 0.95 ? 0 : pick(random, [0x10, 0x20, 0x40]),
      mask: random() < 0.97 ? Buffer.from([1, 2, 3, 4]) : null,
    }),
  )
  return random() < 0.9 ? Buffer.concat(frames) : broken(random, Buffer.concat(frames))
}

function payload(random: Random, key: string): Buffer {
  const type = pick(random, ['auth', 'ping', 'chat_send', 'subscribe', 'chat', '__proto__', word(random)])
  const value = () =>
    pick(random, [word(random), below(random, 1e6), random() * 1e20, null, true, [], {}, key, ['players']])
  const members = ['token', 'since', 'author', 'message', 'id', 'topics', '__proto__']
  const inner = Object.fromEntries(members.filter(() => random() < 0.4).map((name) => [name, value()]))
  const message = random() < 0.9 ? { type, payload: inner } : value()
  return random() < 0.85 ? Buffer.from(JSON.stringify(message)) : bytes(random, 125)
}

/** The same bytes, with some changed, doubled or cut off in a third of all cases. */
function broken(random: Random, whole: Buffer): Buffer {
  const at = below(random, whole.length)
  const way = below(random, 12)
  if (way === 0) return whole.subarray(0, at)
  if (way === 1) return Buffer.concat([whole.subarray(0, at), bytes(random, 20), whole.subarray(at)])
  if (way === 2) return Buffer.concat([whole, whole])
  if (way === 3) return Buffer.from(whole.map((byte) => (random() < 0.02 ? below(random, 256) : byte)))
  return whole
}

export interface FuzzTarget {
  readonly port: number
  readonly key: string
}

/** How often each status occurred; `closed` for connections without an answer. */
export type Outcomes = Map<string, number>

/** @returns the bytes of one connection, which the server answers or closes */
function input(random: Random, key: string): Buffer {
  const kind = random()
  if (kind < 0.05) return randomBytes(random)
  if (kind < 0.6) return randomRequest(random, key)
  if (kind < 0.75) return randomHandshake(random)
  const auth =
    random() < 0.7 ? [clientFrame(1, JSON.stringify({ type: 'auth', payload: { token: key } }))] : []
  return Buffer.concat([Buffer.from(handshakeText('/ws')), ...auth, randomFrames(random, key)])
}

/**
 * Sends so many inputs, each on a separate connection that the client half-closes. @param random makes the inputs; it
 * also picks a tenth of the connections, which are reset instead
 */
export async function fuzz(
  { port, key }: FuzzTarget,
  count: number,
  lanes: number,
  random: Random,
): Promise<Outcomes> {
  const outcomes: Outcomes = new Map()
  let left = count
  const lane = async () => {
    while (left > 0) {
      left -= 1
      const outcome = await exchange(port, input(random, key), random() < 0.1)
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return outcomes
}

function exchange(port: number, bytes: Buffer, isReset: boolean): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    let outcome = 'closed'
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') outcome = 'refused'
    })
    socket.once('data', (answer) => {
      outcome = /^HTTP\/1\.1 (\d{3}) /.exec(answer.toString('latin1'))?.[1] ?? 'not HTTP'
    })
    socket.resume()
    socket.on('close', () => resolve(outcome))
    socket.write(bytes, () => (isReset ? socket.resetAndDestroy() : socket.end()))
  })
}
