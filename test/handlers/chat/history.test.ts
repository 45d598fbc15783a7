import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { farmChat } from '../../../handlers/chat/farm-chat.ts'
import { ChatHistory, keptBytes } from '../../../handlers/chat/history.ts'
import { gapMessage } from '../../../handlers/chat/messages.ts'
import { authorOf, cleaned, linesOf, maxUnits } from '../../../handlers/chat-line.ts'
import type { GameEvent, RoomEvent } from '../../../handlers/game-event.ts'

const first = 1_795_262_400_000_000
const filled = (lines: number, history = new ChatHistory(first)) => {
  for (let line = 0; line < lines; line += 1) history.add((seq) => `line ${seq - first}`)
  return history
}
/** What a client that has not joined the chat yet is sent. */
const missed = (history: ChatHistory, since: number) => history.missed(since, history.next)
const gap = (from: number | null, to: number) => gapMessage(from === null ? null : first + from, first + to)
const lines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => `line ${from + at}`)

test('seq counts up by one per relayed line from the first number, and each next number is reported before its use', () => {
  const log: unknown[] = []
  const history = new ChatHistory(first, [], (next) => log.push(next))
  expect([history.add(String), history.add(String)]).toEqual([
    { seq: first, text: String(first) },
    { seq: first + 1, text: String(first + 1) },
  ])
  expect([history.next, log]).toEqual([first + 2, [first + 1, first + 2]])
})

test('skipped numbers are not given out, and no number is given out twice', () => {
  const history = filled(1)
  for (const next of [first + 10, first + 5]) history.skipTo(next)
  expect(history.add(String).seq).toBe(first + 10)
  expect(missed(history, first)).toEqual([gap(1, 9), String(first + 10)])
})

test.each([
  ['has missed the later lines, in order', 5, 1, lines(2, 4)],
  ['that knows the last line has missed nothing', 5, 4, []],
  ['of a farm where nothing was said has missed nothing', 0, -1, []],
  [
    'whose since is greater than every seq is sent a gap from null to the newest, and no line',
    5,
    5,
    [gap(null, 4)],
  ],
  ['with such a since before the first line is sent the same', 0, 0, [gap(null, -1)]],
  ['of before a restart is sent a gap, even before the first new line', 0, -100, [gap(-99, -1)]],
  ['of before a restart is sent a gap, and the new lines', 2, -100, [gap(-99, -1), ...lines(0, 1)]],
])('a client %s', (_what, count, since, messages) => {
  expect(missed(filled(count), first + since)).toEqual(messages)
})

test('a client in the chat is sent only the lines from before it joined', () => {
  expect(filled(5).missed(first, first + 3)).toEqual(lines(1, 2))
  expect(filled(5).missed(first + 3, first + 3)).toEqual([])
})

test('the last 1000 lines are kept, and the gap has exactly the older ones', () => {
  for (const total of [1000, 1001, 1500, 2001]) {
    const kept = lines(total - 1000, total - 1)
    expect(missed(filled(total), first - 1)).toEqual(total === 1000 ? kept : [gap(0, total - 1001), ...kept])
  }
})

test('for the edge 2000 lines are kept, and 1.5 MiB', () => {
  const [full, over] = [filled(2000), filled(2001)]
  expect([full.dropped, full.after(0).length]).toEqual([0, 2000])
  expect([over.dropped, over.after(0)[0]?.seq]).toEqual([first, first + 1])
  const history = new ChatHistory(first)
  for (let line = 0; line < 10; line += 1) history.add(() => 'x'.repeat(keptBytes / 4))
  expect([history.dropped, history.after(0).length]).toEqual([first + 1, 8])
})

test('the kept lines after a number are returned, oldest first', () => {
  const after = (since: number) =>
    filled(5)
      .after(first + since)
      .map(({ seq }) => seq - first)
  expect([after(2), after(3), after(4), after(9)]).toEqual([[3, 4], [4], [], []])
})

test('kept lines have at most 768 KiB of UTF-8 together, and the gap has exactly the older ones', () => {
  expect(keptBytes).toBe(768 * 1024)
  const history = new ChatHistory(first)
  // 3 bytes in each unit.
  const text = '\u6c34'.repeat(32 * 1024)
  for (let line = 0; line < 10; line += 1) history.add(() => text)
  expect(missed(history, first - 1)).toEqual([gap(0, 1), ...Array(8).fill(text)])
})

test('a line larger than the whole limit becomes a gap, and the next line is kept again', () => {
  const history = filled(3)
  history.add(() => 'x'.repeat(keptBytes + 1))
  expect(missed(history, first)).toEqual([gap(1, 3)])
  expect(missed(filled(1, history), first + 3)).toEqual(['line 4'])
})

test('stored lines from before a restart are sent, with a gap over each run of missing numbers', () => {
  const kept = [-9, -8, -5].map((seq) => ({ seq: first + seq, text: `old ${seq}` }))
  const history = filled(1, new ChatHistory(first, kept))
  expect(missed(history, first - 10)).toEqual([
    'old -9',
    'old -8',
    gap(-7, -6),
    'old -5',
    gap(-4, -1),
    'line 0',
  ])
  expect(missed(history, first - 7)).toEqual([gap(-6, -6), 'old -5', gap(-4, -1), 'line 0'])
  expect(missed(history, first - 3)).toEqual([gap(-2, -1), 'line 0'])
})

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
const borders = (text: string) => new Set([...segmenter.segment(text)].map(({ index }) => index))
const upTo = (units: number) =>
  fc.string({ unit: 'grapheme', maxLength: units }).filter((text) => text.length > 0 && text.length <= units)

test('control characters are removed, blanks trimmed and surrogates paired', () => {
  expect(cleaned(' \u0000a\u001bb\tc\u007f\u0085 ')).toBe('abc')
  expect(cleaned('\ud800x')).toBe('\ufffdx')
  expect(cleaned('  \u00a0\u2003 ')).toBe('')
  expect(cleaned('👩‍👩‍👧‍👦 stays')).toBe('👩‍👩‍👧‍👦 stays')
})

test('line breaks become blanks', () => {
  expect(cleaned('a\nb\r\nc\rd\u2028e\u2029f\u0085g\vh\fV\n')).toBe('a b c d e f g h V')
})

test('an author over 32 units is cut at a grapheme', () => {
  const family = '👩‍👩‍👧‍👦'
  expect(authorOf('x'.repeat(33))).toBe('x'.repeat(32))
  expect(authorOf(family.repeat(4))).toBe(family.repeat(2))
  expect(authorOf('🥕'.repeat(17))).toBe('🥕'.repeat(16))
  expect(authorOf(`${'x'.repeat(31)} and more`)).toBe('x'.repeat(31))
  expect(authorOf(`a${'\u0301'.repeat(40)}`)).toBe(`a${'\u0301'.repeat(31)}`)
})

test('a blank author is Anonymous', () => {
  for (const author of ['', '  ', '\n', '\u0000', '\u00a0']) expect(authorOf(author)).toBe('Anonymous')
})

test('an author is cut or replaced to 1 to 32 units, whatever was sent', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 100 }), (author) => {
      const shown = authorOf(author)
      expect(shown.length).toBeLessThanOrEqual(maxUnits.author)
      expect(shown.trim()).not.toBe('')
      expect(shown.isWellFormed()).toBe(true)
    }),
  )
})

test('joined lines are the message: at most ten, each of at most 450 units', () => {
  fc.assert(
    fc.property(upTo(4000), (message) => {
      const lines = linesOf(message)
      expect(lines.join('')).toBe(message)
      expect(lines.length).toBeLessThanOrEqual(10)
      for (const line of lines) expect(line.length).toBeLessThanOrEqual(450)
    }),
    { numRuns: 200 },
  )
})

test('lines are cut at grapheme borders', () => {
  const family = '👩‍👩‍👧‍👦'
  const messages = [
    family.repeat(150),
    'é'.normalize('NFD').repeat(900),
    `x${'🇩🇪'.repeat(400)}`,
    `${'x'.repeat(899)}e\u0301`,
    'षि'.repeat(800),
  ]
  for (const message of messages) {
    expect(message.length).toBeGreaterThan(maxUnits.line)
    const cuts = borders(message)
    let at = 0
    for (const line of linesOf(message).slice(0, -1)) {
      at += line.length
      expect(cuts).toContain(at)
    }
  }
})

test('a grapheme longer than a line is cut between code points, and nothing is lost', () => {
  const long = `a${'\u0301'.repeat(3999)}`
  for (const message of [long, `${'x'.repeat(450)}${long}`.slice(0, 4000), `👩${'\u200d👩'.repeat(1332)}`]) {
    const lines = linesOf(message)
    expect(lines.join('')).toBe(message)
    expect(lines.length).toBeLessThanOrEqual(10)
    for (const line of lines) {
      expect(line.length).toBeLessThanOrEqual(450)
      expect(line.isWellFormed()).toBe(true)
    }
  }
})

test('a message of 450 is one line, of 451 two, of 4000 nine', () => {
  expect([450, 451, 4000].map((length) => linesOf('x'.repeat(length)).length)).toEqual([1, 2, 9])
})

test('graphemes that leave lines partly empty still make at most ten lines', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 500 }), fc.constantFrom('\u0301', '\u200d👩'), (size, joiner) => {
      const grapheme = `a${joiner.repeat(size)}`
      const message = grapheme
        .repeat(Math.ceil(4000 / grapheme.length))
        .slice(0, 4000)
        .toWellFormed()
      const lines = linesOf(message)
      expect(lines.join('')).toBe(message)
      expect(lines.length).toBeLessThanOrEqual(10)
    }),
  )
})

test('only chat lines are numbered, skipped numbers are reported once, and a listener that has ended hears nothing more', () => {
  const heard: RoomEvent[] = []
  let emit = (_event: GameEvent) => {}
  const game = {
    subscribe(listener: typeof emit) {
      emit = listener
      return () => {}
    },
  }
  const chat = farmChat(game, new ChatHistory(first))
  const end = chat.hear((event) => void heard.push(event))
  const ready = { type: 'ready_changed', isReady: true } as const
  emit(ready)
  for (const next of [first, first + 3, first + 3]) chat.skipTo(next)
  end()
  emit(ready)
  expect(heard).toEqual([ready, { type: 'gap', from: first, to: first + 2 }])
})
