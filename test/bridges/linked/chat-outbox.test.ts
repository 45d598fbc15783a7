/** The chat lines that the farm keeps until the edge has stored them. */
import { describe, expect, test } from 'vitest'
import { ChatOutbox } from '../../../bridges/linked/chat-outbox.ts'
import { maxHead, readFarmFrame } from '../../../bridges/linked/protocol.ts'
import { bytesOf } from '../../../handlers/chat/history.ts'

const timestamp = '2026-11-21T12:00:00.000Z'
const chat = (message: string, playerName = 'Abby') =>
  ({ type: 'chat', playerName, message, timestamp }) as const

/** An outbox with lines `1`, `2` and so on, and how many were dropped. */
function outboxWith(lines: number) {
  const outbox = new ChatOutbox()
  let dropped = 0
  for (let n = 1; n <= lines; n += 1) dropped += outbox.add(chat(`line ${n}`))
  return { outbox, dropped }
}

const lineOf = (text: string) => {
  const frame = readFarmFrame(text)?.frame
  if (frame?.type !== 'line') throw new Error('the edge does not take this for a line')
  return frame
}
/** The numbers of the lines that may be sent now. */
const sent = (outbox: ChatOutbox) => outbox.next().map((text) => lineOf(text).n)
const range = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index)

test('lines are numbered from 1 in the order in which they were said, and each is sent once over a link', () => {
  const { outbox } = outboxWith(2)
  expect(outbox.next().map(lineOf)).toEqual([
    { type: 'line', n: 1, playerName: 'Abby', message: 'line 1', timestamp },
    { type: 'line', n: 2, playerName: 'Abby', message: 'line 2', timestamp },
  ])
  expect(sent(outbox)).toEqual([])
  outbox.add(chat('one more'))
  expect(sent(outbox)).toEqual([3])
})

describe('at most 200 lines are sent before they are confirmed', () => {
  test('and as many more as are confirmed', () => {
    const { outbox } = outboxWith(500)
    expect(sent(outbox)).toEqual(range(1, 200))
    outbox.confirm(3)
    expect(sent(outbox)).toEqual([201, 202, 203])
    outbox.confirm(203)
    expect(sent(outbox)).toEqual(range(204, 403))
  })

  test('also when lines between those that were sent and those that are confirmed were dropped', () => {
    const { outbox } = outboxWith(200)
    outbox.next()
    for (const n of range(201, 2500)) outbox.add(chat(`line ${n}`))
    outbox.confirm(200)
    expect(sent(outbox)).toEqual(range(501, 700))
    expect(sent(outbox)).toEqual([])
    outbox.confirm(501)
    expect(sent(outbox)).toEqual([701])
  })
})

describe('a new link', () => {
  test('continues after the line that the edge has stored', () => {
    const { outbox } = outboxWith(5)
    outbox.next()
    outbox.resume(3)
    expect(sent(outbox)).toEqual([4, 5])
  })

  test('is sent again what was sent and not confirmed', () => {
    const { outbox } = outboxWith(5)
    outbox.next()
    outbox.resume(0)
    expect(sent(outbox)).toEqual([1, 2, 3, 4, 5])
  })

  test('with an edge that says it has stored less than it confirmed gets every line that is still kept', () => {
    const { outbox } = outboxWith(500)
    outbox.next()
    outbox.confirm(150)
    outbox.resume(100)
    expect(sent(outbox)).toEqual(range(151, 350))
  })

  test('has its own 200 lines, however many the link before it left unconfirmed', () => {
    const { outbox } = outboxWith(300)
    outbox.next()
    outbox.resume(0)
    expect(sent(outbox)).toEqual(range(1, 200))
  })
})

describe('confirmations', () => {
  test('of a line that was never said are ignored: no line is lost', () => {
    const { outbox } = outboxWith(2)
    outbox.confirm(3)
    outbox.resume(1000)
    expect(sent(outbox)).toEqual([1, 2])
  })

  test('of the newest line leave nothing to send', () => {
    const { outbox } = outboxWith(2)
    outbox.confirm(2)
    outbox.resume(2)
    expect(sent(outbox)).toEqual([])
  })

  test('that come twice or out of order change nothing', () => {
    const { outbox } = outboxWith(300)
    outbox.next()
    for (const n of [50, 20, 50]) outbox.confirm(n)
    expect(sent(outbox)).toEqual(range(201, 250))
  })
})

describe('while the edge is away', () => {
  test('the last 2000 lines are kept, and each line beyond that drops the oldest', () => {
    expect(outboxWith(2000).dropped).toBe(0)
    const { outbox, dropped } = outboxWith(2001)
    expect(dropped).toBe(1)
    expect(sent(outbox)).toEqual(range(2, 201))
  })

  test('at most 1.5 MiB are kept, as UTF-8', () => {
    const outbox = new ChatOutbox()
    const message = 'ü'.repeat(50_000)
    let dropped = 0
    for (const _ of range(1, 40)) dropped += outbox.add(chat(message))
    const kept = outbox.next()
    const bytes = kept.reduce((sum, text) => sum + bytesOf(text), 0)
    expect(dropped).toBe(40 - kept.length)
    expect(bytes).toBeLessThanOrEqual(1.5 * 1024 * 1024)
    expect(bytes + bytesOf(message)).toBeGreaterThan(1.5 * 1024 * 1024 - 1000)
  })

  test('lines that were confirmed no longer count: as much as before is kept again', () => {
    const { outbox } = outboxWith(0)
    const big = 'x'.repeat(70_000)
    const add = () => range(1, 20).reduce((dropped) => dropped + outbox.add(chat(big)), 0)
    expect(add()).toBe(0)
    outbox.confirm(20)
    expect(add()).toBe(0)
    expect(sent(outbox)).toEqual(range(21, 40))
  })
})

describe('a line that does not fit into the first line of a frame', () => {
  const longest = maxHead - JSON.stringify({ ...chat(''), type: 'line', n: 1 }).length

  test('is cut, and the edge takes it', () => {
    const outbox = new ChatOutbox()
    outbox.add(chat('m'.repeat(longest + 1), 'n'.repeat(1001)))
    const { message, playerName } = lineOf(outbox.next()[0] ?? '')
    expect([message, playerName]).toEqual(['m'.repeat(80_000), 'n'.repeat(1000)])
  })

  test('fits even when each of its characters takes six in JSON', () => {
    const outbox = new ChatOutbox()
    const controls = '\u0001'.repeat(longest)
    outbox.add(chat(controls, controls))
    expect(lineOf(outbox.next()[0] ?? '').message).toBe('\u0001'.repeat(80_000))
  })

  test('is whole if it has just as many characters as fit', () => {
    const outbox = new ChatOutbox()
    outbox.add(chat('m'.repeat(longest)))
    expect(lineOf(outbox.next()[0] ?? '').message).toBe('m'.repeat(longest))
  })
})

test('half of a surrogate pair, in a name or a text, is sent as U+FFFD', () => {
  const outbox = new ChatOutbox()
  outbox.add(chat('a\ud800b', '\udc00'))
  expect(lineOf(outbox.next()[0] ?? '')).toMatchObject({ playerName: '\ufffd', message: 'a\ufffdb' })
})
