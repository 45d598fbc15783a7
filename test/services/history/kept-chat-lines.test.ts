import { expect, test } from 'vitest'
import { chatMessage } from '../../../handlers/chat/messages.ts'
import { keptChatLines } from '../../../services/history/kept-chat-lines.ts'
import { memoryFarm } from '../../records/memory-records.ts'
import { noon } from './a-farm.ts'

const line = (message: string) => (seq: number) =>
  chatMessage({ playerName: 'Abby', message, timestamp: '2026-11-21T12:00:00.000Z' }, seq)
const farm = async () => {
  const { records } = await memoryFarm()
  const start = (keep = true, now = noon) => keptChatLines(records, keep, () => now)
  return { records, start }
}
const first = noon * 1000
const numbers = ({ lines }: { lines: readonly { seq: number }[] }) => lines.map(({ seq }) => seq - first)

test('numbers go on from the last one written after a restart, also with a clock that was set back', async () => {
  const { start } = await farm()
  const lines = await start()
  expect([lines.add(line('one')).seq, lines.add(line('two')).seq]).toEqual([first, first + 1])
  await lines.close()
  const again = await start(true, noon - 86_400_000)
  expect(again.add(line('three')).seq).toBe(first + 2)
})

test('resume reaches back over a restart, with the lines as they were sent', async () => {
  const { start } = await farm()
  const lines = await start()
  const sent = [lines.add(line('one')), lines.add(line('two'))]
  await lines.close()
  const again = await start()
  expect(again.missedSince(first - 1)).toEqual({ lines: sent })
  const third = again.add(line('three'))
  expect(again.missedSince(first)).toEqual({ lines: [sent[1], third] })
})

test('after kill -9 numbers never step back, and those that may have been given out are told as a gap', async () => {
  const { start } = await farm()
  const lines = await start()
  lines.add(line('one'))
  const again = await start()
  expect(again.next).toBe(first + 1000)
  expect(again.missedSince(first - 1)).toMatchObject({ hole: { from: first + 1, to: first + 999 } })
  expect(numbers(again.missedSince(first - 1))).toEqual([0])
  expect(again.missedSince(first + 5)).toEqual({ lines: [], hole: { from: first + 6, to: first + 999 } })
})

test('numbers are reserved before they are given out, however many lines come', async () => {
  const { records, start } = await farm()
  const lines = await start()
  for (let count = 0; count < 2500; count += 1) {
    const { seq } = lines.add(line('more'))
    if (count % 100 === 0) expect((await records.calls.keptChat(1)).next).toBeGreaterThan(seq)
  }
})

test('with CHAT_KEEP=false no line is written, and the numbers go on all the same', async () => {
  const { records, start } = await farm()
  const lines = await start(false)
  lines.add(line('secret'))
  await lines.close()
  expect((await records.calls.keptChat(10)).lines).toEqual([])
  const again = await start(false)
  expect(again.add(line('two')).seq).toBe(first + 1)
  expect(again.missedSince(first - 1)).toMatchObject({ gap: { from: first, to: first } })
})

test('records that do not answer at the start do not keep the chat from working', async () => {
  const fails = () => Promise.reject(new Error('the thread has ended'))
  const lines = await keptChatLines(
    { calls: { keptChat: fails, numberChatFrom: fails }, later: { chatLine: () => undefined } },
    true,
    () => noon,
  )
  expect(lines.add(line('one')).seq).toBe(first)
  await lines.close()
})

test('chat lines are paged by their numbers, newest first', async () => {
  const { records, start } = await farm()
  const lines = await start()
  for (const message of ['one', 'two', 'three']) lines.add(line(message))
  const page = await records.of('local').chat({ limit: 2 })
  expect(page.lines.map(({ message }) => message)).toEqual(['three', 'two'])
  expect(page.lines[0]).toEqual({
    seq: first + 2,
    playerName: 'Abby',
    message: 'three',
    timestamp: '2026-11-21T12:00:00.000Z',
  })
  const older = await records.of('local').chat({ limit: 2, before: Number(page.next) })
  expect(older.lines.map(({ message }) => message)).toEqual(['one'])
  expect(older.next).toBeUndefined()
})
