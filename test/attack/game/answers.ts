/** Whole answers of a game that are not its API's. */
import { gzipSync } from 'node:zlib'
import type { Fault } from '../../game-server/faults.ts'

const ok = (body: string | Buffer, headers: Readonly<Record<string, string>> = {}): Fault => ({
  kind: 'status',
  status: 200,
  body,
  headers: { 'content-type': 'application/json', ...headers },
})
const status = (
  code: number,
  body = '{"error":"x"}',
  headers: Readonly<Record<string, string>> = {},
): Fault => ({
  kind: 'status',
  status: code,
  body,
  headers: { 'content-type': 'application/json', ...headers },
})
const raw = (...lines: readonly string[]): Fault => ({
  kind: 'bytes',
  bytes: Buffer.from(lines.join('\r\n'), 'latin1'),
})
const megabyte = 1024 * 1024

/** None of them is an answer to a read. */
export const hostileAnswers: readonly (readonly [what: string, fault: Fault])[] = [
  ['nothing', ok('')],
  ['a blank', ok(' ')],
  ['null', ok('null')],
  ['a number', ok('7')],
  ['a text', ok('"x"')],
  ['an array', ok('[]')],
  ['an array of records', ok('[{}]')],
  ['NaN', ok('NaN')],
  ['two records', ok('{}{}')],
  ['a record that is cut off', ok('{"players":[{"id":1')],
  ['a record with a comma too many', ok('{"players":[],}')],
  ['a record in single quotes', ok("{'players':[]}")],
  ['a record with a comment', ok('{"players":[]/* none */}')],
  ['a call of a function', ok('callback({"players":[]})')],
  ['a page', ok('<!doctype html><title>Login</title>', { 'content-type': 'text/html' })],
  ['a page that says it is JSON', ok('<html></html>')],
  ['XML', ok('<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "a">]><x>&a;</x>')],
  ['UTF-16', ok(Buffer.from('\ufeff{}', 'utf16le'))],
  ['bytes that are not UTF-8', ok(Buffer.from('7b22ff227d', 'hex'))],
  ['NULs', ok(Buffer.alloc(1000))],
  ['100,000 nested arrays', ok(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)],
  ['100,000 arrays that are not closed', ok('['.repeat(100_000))],
  ['100,000 nested objects', ok('{"a":'.repeat(100_000))],
  ['a gzip bomb of 64 MB', ok(gzipSync(Buffer.alloc(64 * megabyte)), { 'content-encoding': 'gzip' })],
  ['an encoding that is none', ok('{}', { 'content-encoding': 'br, gzip, x' })],
  ['64 MB', { kind: 'enormous', bytes: 64 * megabyte, isChunked: true }],
  ['a length of 64 MB', { kind: 'enormous', bytes: 64 * megabyte, isChunked: false }],
  ['201 with another record', status(201)],
  ['204', status(204, '')],
  ['206', status(206)],
  ['301', status(301, '', { location: 'http://127.0.0.1:1/' })],
  ['302 to a file', status(302, '', { location: 'file:///etc/passwd' })],
  ['303 to itself', status(303, '', { location: '' })],
  ['304', status(304, '')],
  ['308 without a location', status(308, '')],
  ...[
    400, 402, 404, 405, 408, 409, 410, 411, 413, 418, 421, 422, 431, 451, 500, 501, 502, 503, 504, 505, 599,
    999,
  ].map((code): readonly [string, Fault] => [`${code}`, status(code)]),
  ['bytes that are not HTTP', raw('hello there', '', '')],
  ['TLS', raw('\x15\x03\x01\x00\x02\x02\x28')],
  ['HTTP/0.9', raw('{}')],
  ['HTTP/9.9', raw('HTTP/9.9 200 OK', 'Content-Length: 2', '', '{}')],
  ['a status of four digits', raw('HTTP/1.1 2000 OK', 'Content-Length: 2', '', '{}')],
  ['a status of letters', raw('HTTP/1.1 abc OK', 'Content-Length: 2', '', '{}')],
  ['101', raw('HTTP/1.1 101 Switching Protocols', 'Upgrade: x', 'Connection: Upgrade', '', '{}')],
  ['a hundred times 103', raw(...Array<string>(100).fill('HTTP/1.1 103 Early Hints\r\n'), '')],
  ['two lengths', raw('HTTP/1.1 200 OK', 'Content-Length: 2', 'Content-Length: 3', '', '{}')],
  [
    'a length and a coding',
    raw('HTTP/1.1 200 OK', 'Content-Length: 2', 'Transfer-Encoding: chunked', '', '{}'),
  ],
  ['a negative length', raw('HTTP/1.1 200 OK', 'Content-Length: -1', '', '{}')],
  ['a length beyond the sent bytes', raw('HTTP/1.1 200 OK', 'Content-Length: 200', '', '{}')],
  [
    'a chunk size that is none',
    raw('HTTP/1.1 200 OK', 'Transfer-Encoding: chunked', '', 'zz', '{}', '0', '', ''),
  ],
  ['interrupted chunks', raw('HTTP/1.1 200 OK', 'Transfer-Encoding: chunked', '', '2', '{}', '')],
  ['headers of 100 KB', raw('HTTP/1.1 200 OK', `X: ${'y'.repeat(100_000)}`, '', '{}')],
  ['a header with a NUL', raw('HTTP/1.1 200 OK', 'X: a\x00b', 'Content-Length: 2', '', '{}')],
  ['a folded header', raw('HTTP/1.1 200 OK', 'X: a', ' b', 'Content-Length: 2', '', '{}')],
  ['no answer', { kind: 'silent' }],
  ['half an answer, and then nothing', { kind: 'hangs' }],
  ['a byte in 50 ms', { kind: 'drips', every: 50 }],
  ['a reset', { kind: 'resets' }],
]

/** `Retry-After` of a 429; after an accepted one the game is left alone for a while. */
export const retryAfters: readonly string[] = [
  '',
  'soon',
  '-5',
  '0',
  '1.5',
  '1e9',
  '99999999999999999999',
  'NaN',
  'Thu, 99 Foo 99999',
  'Thu, 01 Jan 1970 00:00:00 GMT',
  'Fri, 31 Dec 9999 23:59:59 GMT',
]

/** The number of requests to a game with this answer. */
export const limited = (retryAfter: string): Fault => status(429, '', { 'retry-after': retryAfter })
