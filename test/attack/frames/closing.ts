/** Closing handshakes: part 7 of the Autobahn test suite. */
import { close, closeFrame, type FrameCase, message, ping, text, unfinished } from './frame-case.ts'

const malformed = ['CLOSE 1002'] as const
const allowed = [
  1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4999,
]
const forbidden = [0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65_535]

export const closeCases: readonly FrameCase[] = [
  ...allowed.map((code): FrameCase => [`code ${code}`, [close(code)], [`CLOSE ${code}`]]),
  ['a reason', [close(1000, 'done')], ['CLOSE 1000']],
  ['a reason of 123 bytes', [close(1000, 'x'.repeat(123))], ['CLOSE 1000']],
  ['no code', [closeFrame()], ['CLOSE']],
  ['another close behind it', [close(1000), close(1001)], ['CLOSE 1000']],
  ['a message behind it', [close(1000), text(message())], ['CLOSE 1000']],
  ['a ping behind it', [close(1000), ping('x')], ['CLOSE 1000']],
  ['a malformed frame behind it', [close(1000), text(message(), { reserved: 0x40 })], ['CLOSE 1000']],
  ['a message before it', [text(message()), close(1000)], ['pong', 'CLOSE 1000']],
]

export const malformedCloseCases: readonly FrameCase[] = [
  ...forbidden.map((code): FrameCase => [`code ${code}`, [close(code)], malformed]),
  ['one byte', [closeFrame('x')], malformed],
  ['a reason of 124 bytes', [close(1000, 'x'.repeat(124))], malformed],
  ['two fragments', [closeFrame(Buffer.from([3, 0xe8]), unfinished)], malformed],
  [
    'a reason that is not UTF-8',
    [close(1000, Buffer.from('cebae1bdb9cf83cebcceb5eda080656469746564', 'hex'))],
    ['CLOSE 1007'],
  ],
]
