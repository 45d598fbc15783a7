/** Lengths, masks, reserved bits and opcodes: the parts 1, 3, 4, 9 and 12 of the Autobahn test suite. */
import { clientFrame } from '../../raw-bytes.ts'
import { binary, type FrameCase, message, ping, text } from './frame-case.ts'

const malformed = ['CLOSE 1002'] as const
const tooLong = ['CLOSE 1009'] as const
const mask = Buffer.from([0x37, 0xfa, 0x21, 0x3d])
const afterMessage = (frame: Buffer) => [text(message()), frame]

export const lengthCases: readonly FrameCase[] = [
  ...[15, 125, 126, 127, 128, 1000, 16_383, 16_384].map(
    (bytes): FrameCase => [`a text of ${bytes} bytes`, [text(message(bytes))], ['pong']],
  ),
  ...[16_385, 65_535, 65_536, 1_000_000].map(
    (bytes): FrameCase => [`a text of ${bytes} bytes`, [text(message(bytes))], tooLong],
  ),
  ['an empty text', [text()], ['error malformed']],
  ...[0, 1, 125, 126, 16_384].map(
    (bytes): FrameCase => [`${bytes} binary bytes`, [binary(Buffer.alloc(bytes))], ['CLOSE 1003']],
  ),
  ['a length in two bytes that fits in one', [text(message(), { lengthBytes: 2 })], ['pong']],
  ['a length in eight bytes that fits in one', [text(message(), { lengthBytes: 8 })], ['pong']],
  ...[2 ** 31, 2 ** 32, 2 ** 53, 2 ** 60].map(
    (length): FrameCase => [`an announced length of ${length}`, [text('', { length })], tooLong],
  ),
  ['two messages in one piece', [text(message()), text(message())], ['pong', 'pong']],
]

export const maskCases: readonly FrameCase[] = [
  ['a mask of several bits', [text(message(), { mask })], ['pong']],
  ['a mask of ones', [text(message(), { mask: Buffer.alloc(4, 0xff) })], ['pong']],
  ['an unmasked text', [text(message(), { mask: null })], malformed],
  ['an unmasked ping', [ping('x', { mask: null })], malformed],
  [
    'an unmasked text behind a masked one',
    afterMessage(text(message(), { mask: null })),
    ['pong', ...malformed],
  ],
]

export const reservedBitCases: readonly FrameCase[] = [0x40, 0x20, 0x10, 0x60, 0x50, 0x30, 0x70].flatMap(
  (reserved): readonly FrameCase[] => [
    [`bits ${reserved.toString(16)} on a text`, [text(message(), { reserved })], malformed],
    [
      `bits ${reserved.toString(16)} on a text behind another`,
      afterMessage(text(message(), { reserved })),
      ['pong', ...malformed],
    ],
    [`bits ${reserved.toString(16)} on a ping`, [ping('x', { reserved })], malformed],
  ],
)

export const opcodeCases: readonly FrameCase[] = [3, 4, 5, 6, 7, 11, 12, 13, 14, 15].flatMap(
  (opcode): readonly FrameCase[] => [
    [`opcode ${opcode}`, [clientFrame(opcode, '')], malformed],
    [
      `opcode ${opcode} with a payload behind a text`,
      afterMessage(clientFrame(opcode, 'x')),
      ['pong', ...malformed],
    ],
  ],
)
