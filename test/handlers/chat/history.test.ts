import { expect, test } from 'vitest'
import { ChatHistory, keptBytes } from '../../../handlers/chat/history.ts'

const first = 1_795_262_400_000_000
const filled = (lines: number, history = new ChatHistory(first)) => {
  for (let line = 0; line < lines; line += 1) history.add((seq) => `line ${seq - first}`)
  return history
}
const numbers = ({ lines }: { lines: readonly { seq: number }[] }) => lines.map(({ seq }) => seq - first)

test('seq counts up by one per relayed line from the first number', () => {
  const history = new ChatHistory(first)
  expect([history.add(String), history.add(String)]).toEqual([
    { seq: first, text: String(first) },
    { seq: first + 1, text: String(first + 1) },
  ])
  expect(history.next).toBe(first + 2)
})

test('a client that knows all lines up to one has missed the later ones, in order', () => {
  expect(filled(5).missedSince(first + 1)).toEqual({
    lines: [
      { seq: first + 2, text: 'line 2' },
      { seq: first + 3, text: 'line 3' },
      { seq: first + 4, text: 'line 4' },
    ],
  })
})

test('a client that knows the last line has missed nothing', () => {
  expect(filled(5).missedSince(first + 4)).toEqual({ lines: [] })
  expect(filled(0).missedSince(first - 1)).toEqual({ lines: [] })
})

test('a since greater than every seq is a gap from null to the newest, and no line is sent', () => {
  expect(filled(5).missedSince(first + 5)).toEqual({ gap: { from: null, to: first + 4 }, lines: [] })
  expect(filled(0).missedSince(first)).toEqual({ gap: { from: null, to: first - 1 }, lines: [] })
})

test('the last 1000 lines are kept, and the gap has exactly the older ones', () => {
  for (const total of [1000, 1001, 1500, 1999, 2000, 2001, 4567]) {
    const missed = filled(total).missedSince(first - 1)
    expect(numbers(missed)).toEqual(Array.from({ length: 1000 }, (_, at) => total - 1000 + at))
    expect(missed.gap).toEqual(total === 1000 ? undefined : { from: first, to: first + total - 1001 })
  }
})

test('kept lines have at most 768 KiB of UTF-8 together, and the gap has exactly the older ones', () => {
  expect(keptBytes).toBe(768 * 1024)
  const history = new ChatHistory(first)
  // 3 bytes in each unit.
  for (let line = 0; line < 10; line += 1) history.add(() => '\u6c34'.repeat(32 * 1024))
  const missed = history.missedSince(first - 1)
  expect([numbers(missed), missed.gap]).toEqual([[2, 3, 4, 5, 6, 7, 8, 9], { from: first, to: first + 1 }])
})

test('a line larger than the whole limit becomes a gap, and the next line is kept again', () => {
  const history = filled(3)
  history.add(() => 'x'.repeat(keptBytes + 1))
  expect(history.missedSince(first)).toEqual({ gap: { from: first + 1, to: first + 3 }, lines: [] })
  expect(numbers(filled(1, history).missedSince(first + 3))).toEqual([4])
})

test('lines from before a restart are a gap, even before the first new line', () => {
  expect(filled(0).missedSince(100)).toEqual({ gap: { from: 101, to: first - 1 }, lines: [] })
  expect(filled(2).missedSince(100).gap).toEqual({ from: 101, to: first - 1 })
})

test('stored lines from before a restart can still be sent', () => {
  const kept = [
    { seq: first - 2, text: 'old 1' },
    { seq: first - 1, text: 'old 2' },
  ]
  const history = filled(1, new ChatHistory(first, kept))
  expect(history.missedSince(first - 2)).toEqual({
    lines: [
      { seq: first - 1, text: 'old 2' },
      { seq: first, text: 'line 0' },
    ],
  })
})
