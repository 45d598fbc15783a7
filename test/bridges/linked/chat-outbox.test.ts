/** The numbered chat lines that the farm sends to the edge, and when. */
import { describe, expect, test } from 'vitest'
import { ChatOutbox } from '../../../bridges/linked/chat-outbox.ts'
import { maxHead, readFarmFrame } from '../../../bridges/linked/protocol.ts'
import { farmChat } from '../../../handlers/chat/farm-chat.ts'
import { ChatHistory } from '../../../handlers/chat/history.ts'
import { chatMessage } from '../../../handlers/chat/messages.ts'
import type { GameEvent } from '../../../handlers/game-event.ts'

const timestamp = '2026-11-21T12:00:00.000Z'
const chat = (message: string, playerName = 'Abby') =>
  ({ type: 'chat', playerName, message, timestamp }) as const
const textOf = (seq: number) => chatMessage(chat(`line ${seq}`), seq)

/** An outbox of a process whose first line has the number 101. @param kept numbers of lines of an earlier process */
function anOutbox({ lines = 0, kept = [] as readonly number[] } = {}) {
  let emit = (_event: GameEvent) => {}
  const subscribe = (listener: typeof emit) => {
    emit = listener
    return () => {}
  }
  const history = new ChatHistory(
    101,
    kept.map((seq) => ({ seq, text: textOf(seq) })),
  )
  const dropped: number[] = []
  const outbox = new ChatOutbox(farmChat({ subscribe }, history), (count) => dropped.push(count))
  const say = (...said: GameEvent[]) => said.forEach((event) => void emit(event))
  say(...Array.from({ length: lines }, (_, at) => chat(`line ${101 + at}`)))
  return { outbox, say, dropped, history }
}

const lineOf = (text = '') => {
  const frame = readFarmFrame(text)?.frame
  if (frame?.type !== 'line') throw new Error('the edge does not take this for a line')
  return frame
}
/** The numbers of the lines that can be sent now. */
const sent = (outbox: ChatOutbox) => outbox.next().map((text) => lineOf(text).n)
const range = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index)

test('lines are sent under their numbers in the order of the chat, each once over a link', () => {
  const { outbox, say } = anOutbox({ lines: 2 })
  expect(outbox.next().map(lineOf)).toEqual([
    { type: 'line', n: 101, playerName: 'Abby', message: 'line 101', timestamp },
    { type: 'line', n: 102, playerName: 'Abby', message: 'line 102', timestamp },
  ])
  expect(sent(outbox)).toEqual([])
  say(chat('one more'))
  expect(sent(outbox)).toEqual([103])
})

test('at most 200 lines are sent unconfirmed, and each confirmation allows as many more', () => {
  const { outbox } = anOutbox({ lines: 500 })
  expect(sent(outbox)).toEqual(range(101, 300))
  expect(sent(outbox)).toEqual([])
  outbox.confirm(103)
  outbox.confirm(102)
  expect(sent(outbox)).toEqual([301, 302, 303])
  outbox.confirm(303)
  expect(sent(outbox)).toEqual(range(304, 503))
})

describe('a new link', () => {
  test.each([
    ['continues after the line that the edge has', { heard: 103, newest: 103 }, range(104, 105), 106],
    [
      'begins with the first line of this process for an edge without lines',
      { heard: 0 },
      range(101, 105),
      106,
    ],
    [
      'continues with lines of an earlier process',
      { heard: 98, newest: 98 },
      [99, 100, ...range(101, 105)],
      106,
    ],
    [
      'of an older edge, which numbers lines itself, is sent no line of an earlier process',
      { heard: 0 },
      range(101, 105),
      106,
    ],
    [
      'of an edge that is ahead is sent the lines of this process, and later lines are numbered above those',
      { heard: 900, newest: 900 },
      range(101, 105),
      906,
    ],
    [
      'of an edge whose last line has the number of the next line does the same',
      { heard: 106, newest: 106 },
      range(101, 105),
      112,
    ],
    [
      'of an edge whose newest line is of another process does the same',
      { heard: 103, newest: 900 },
      range(104, 105),
      903,
    ],
    [
      'of an edge whose newest number is that of the next line does the same',
      { heard: 105, newest: 106 },
      [],
      107,
    ],
    [
      'of an edge whose newest number is that of the last line skips none',
      { heard: 104, newest: 105 },
      [105],
      106,
    ],
  ])('%s', (_what, { heard, newest }: { heard: number; newest?: number }, lines, next) => {
    const { outbox } = anOutbox({ lines: 5, kept: range(97, 100) })
    outbox.next()
    outbox.resume(heard, newest)
    expect([sent(outbox), outbox.numbers.next]).toEqual([lines, next])
  })

  test('has its own 200 lines, whatever the link before it left unconfirmed', () => {
    const { outbox } = anOutbox({ lines: 300 })
    outbox.next()
    outbox.resume(0)
    expect(sent(outbox)).toEqual(range(101, 300))
  })
})

test('an edge without lines gets the kept lines of this process', () => {
  expect(anOutbox({ kept: [97] }).outbox.numbers).toEqual({ from: 101, next: 101 })
  expect(anOutbox({ kept: [97], lines: 2 }).outbox.numbers).toEqual({ from: 101, next: 103 })
  expect(anOutbox({ lines: 2001 }).outbox.numbers).toEqual({ from: 102, next: 2102 })
})

test('lines that are dropped before the edge can take them are counted once', () => {
  const { outbox, dropped, say } = anOutbox({ lines: 2200 })
  expect(sent(outbox)).toEqual(range(301, 500))
  say(...range(1, 300).map(() => chat('more')))
  outbox.confirm(500)
  expect(sent(outbox)).toEqual(range(601, 800))
  expect(dropped).toEqual([200, 100])
})

describe('a line that does not fit into the first line of a frame', () => {
  const longest = maxHead - JSON.stringify({ ...chat(''), type: 'line', n: 101 }).length
  const message = (said: string, playerName?: string) => {
    const { outbox, say } = anOutbox()
    say(chat(said, playerName))
    return lineOf(outbox.next()[0])
  }

  test('is cut, and the edge accepts it', () => {
    const cut = message('m'.repeat(longest + 1), 'n'.repeat(1001))
    expect([cut.message, cut.playerName]).toEqual(['m'.repeat(80_000), 'n'.repeat(1000)])
  })

  test('fits even when each of its characters takes six in JSON', () => {
    const controls = '\u0001'.repeat(100_000)
    expect(message(controls, '\u0001'.repeat(2000)).message).toBe('\u0001'.repeat(80_000))
  })

  test('is whole if it just fits', () => {
    expect(message('m'.repeat(longest)).message).toBe('m'.repeat(longest))
  })
})

test('half of a surrogate pair, in a name or a text, is sent as U+FFFD', () => {
  const { outbox, say } = anOutbox()
  say(chat('a\ud800b', '\udc00'))
  expect(lineOf(outbox.next()[0])).toMatchObject({ playerName: '\ufffd', message: 'a\ufffdb' })
})

test('a line that was damaged on the disk is skipped, and the lines after it are sent', () => {
  const history = new ChatHistory(101, [
    { seq: 98, text: '{"type":"chat"' },
    { seq: 99, text: '{"type":"chat","payload":{}}' },
    { seq: 100, text: textOf(100) },
  ])
  const outbox = new ChatOutbox(farmChat({ subscribe: () => () => {} }, history), () => {})
  outbox.resume(97, 97)
  expect(sent(outbox)).toEqual([100])
})
