/** Pings, fragments and UTF-8: the parts 2, 5, 6 and 10 of the Autobahn test suite. */
import {
  binary,
  close,
  continuation,
  type FrameCase,
  fragments,
  message,
  messageWith,
  ping,
  pong,
  text,
  unfinished,
} from './frame-case.ts'

const malformed = ['CLOSE 1002'] as const
const half = message().length / 2
const [first, second] = [message().slice(0, half), message().slice(half)]

export const pingCases: readonly FrameCase[] = [
  ['a ping without payload', [ping()], ['PONG ']],
  ['a ping with a text', [ping('hello')], ['PONG hello']],
  ['a ping of bytes that are not text', [ping(Buffer.from([0, 0xff, 0xfe]))], ['PONG \x00\xff\xfe']],
  ['a ping of 125 bytes', [ping('x'.repeat(125))], [`PONG ${'x'.repeat(125)}`]],
  ['a ping of 126 bytes', [ping('x'.repeat(126))], malformed],
  ['a ping that announces 16 KB', [ping('', { length: 16_384 })], malformed],
  ['an unsolicited pong', [pong()], []],
  ['a pong with a payload', [pong('hello')], []],
  ['a pong of 126 bytes', [pong('x'.repeat(126))], malformed],
  ['a pong, and then a ping', [pong('a'), ping('b')], ['PONG b']],
  [
    'ten pings',
    Array.from({ length: 10 }, (_, at) => ping(`${at}`)),
    Array.from({ length: 10 }, (_, at) => `PONG ${at}`),
  ],
  ['a fragmented ping', [ping('x', unfinished), continuation('y')], malformed],
  ['a fragmented pong', [pong('x', unfinished), continuation('y')], malformed],
]

export const fragmentCases: readonly FrameCase[] = [
  ['two fragments', fragments(message(), 8), ['pong']],
  ['a fragment for each byte', fragments(message(), 1), ['pong']],
  ['16 KB in 17 fragments', fragments(message(16_384), 1000), ['pong']],
  ['more than 16 KB in fragments', fragments(message(17_000), 1000), ['CLOSE 1009']],
  [
    'a ping between fragments',
    [text(first, unfinished), ping('x'), continuation(second)],
    ['PONG x', 'pong'],
  ],
  ['a pong between fragments', [text(first, unfinished), pong('x'), continuation(second)], ['pong']],
  ['an empty first fragment', [text('', unfinished), continuation(message())], ['pong']],
  ['an empty last fragment', [text(message(), unfinished), continuation()], ['pong']],
  [
    'thousands of empty fragments',
    [text('', unfinished), ...Array(5000).fill(continuation('', unfinished)), continuation(message())],
    ['pong'],
  ],
  [
    'thousands of fragments',
    [text('x', unfinished), ...Array(5000).fill(continuation('x', unfinished))],
    ['CLOSE 1008'],
  ],
  [
    'empty fragments alone',
    [text('', unfinished), continuation('', unfinished), continuation()],
    ['error malformed'],
  ],
  ['fragments of binary data', [binary('x', unfinished), continuation('y')], ['CLOSE 1003']],
  ['a continuation of nothing', [continuation(message())], malformed],
  ['an unfinished continuation of nothing', [continuation(first, unfinished)], malformed],
  ['a continuation behind a whole text', [text(message()), continuation('x')], ['pong', ...malformed]],
  ['a text inside another', [text(first, unfinished), text(message())], malformed],
  ['binary data inside a text', [text(first, unfinished), binary('x')], malformed],
  ['two fragmented texts', [...fragments(message(), 8), ...fragments(message(), 4)], ['pong', 'pong']],
  ['a close between fragments', [text(first, unfinished), close(1000), continuation(second)], ['CLOSE 1000']],
]

const valid = [
  'κόσμε',
  '\u0080',
  '\u07ff',
  '\u0800',
  '\ud7ff',
  '\ue000',
  '\ufeff',
  '\ufffe',
  '\uffff',
  '\u{10000}',
  '\u{10ffff}',
  '🌱',
]
const invalid = [
  '80',
  'bf',
  '80bf80',
  'c0',
  'c080',
  'c0af',
  'c1bf',
  'e080af',
  'e09fbf',
  'f08080af',
  'f48fbfc0',
  'f4908080',
  'f5808080',
  'f888808080',
  'fc8480808080',
  'fe',
  'ff',
  'eda080',
  'edbfbf',
  'eda080edb080',
  'e282',
  'f09f8c',
  'ce20',
]

export const utf8Cases: readonly FrameCase[] = [
  ...valid.flatMap((word): readonly FrameCase[] => [
    [`${namesOf(word)}`, [text(messageWith(word))], ['pong']],
    [`${namesOf(word)} in a fragment for each byte`, fragments(messageWith(word), 1), ['pong']],
  ]),
  ['a byte order mark before the message', [text(`\ufeff${message()}`)], ['error malformed']],
]

/** Not at the edge, which does not close 1007. */
export const invalidUtf8Cases: readonly FrameCase[] = [
  ...invalid.map((hex): FrameCase => [hex, [text(messageWith(Buffer.from(hex, 'hex')))], ['CLOSE 1007']]),
  ['a character that is cut off at the end', [text(Buffer.from('7b22f09f', 'hex'))], ['CLOSE 1007']],
  [
    'a character that is cut off by a close',
    [text(Buffer.from('f09f', 'hex'), unfinished), close(1000)],
    ['CLOSE 1000'],
  ],
  [
    'f48fbfc0 in a fragment for each byte',
    fragments(messageWith(Buffer.from('f48fbfc0', 'hex')), 1),
    ['CLOSE 1007'],
  ],
]

function namesOf(word: string): string {
  return [...word].map((sign) => `U+${(sign.codePointAt(0) ?? 0).toString(16)}`).join(' ')
}
