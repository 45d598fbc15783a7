/** The lines of the game's log that the farm sends to its edge. */
import { expect, test } from 'vitest'
import { logOutbox } from '../../../bridges/linked/farm-end/log-outbox.ts'
import type { LogEvent } from '../../../handlers/game-event.ts'

function anOutbox() {
  let listener: ((event: LogEvent) => void) | undefined
  const timers = new Map<() => void, number>()
  const sent: unknown[] = []
  const link = { isSlow: false }
  const host = {
    hearLog(hear: (event: LogEvent) => void) {
      expect(listener).toBeUndefined()
      listener = hear
      return () => {
        listener = undefined
      }
    },
  }
  const outbox = logOutbox(host, (milliseconds, call) => {
    timers.set(call, milliseconds)
    return () => void timers.delete(call)
  })
  const send = (text: string) => {
    if (!link.isSlow) sent.push(JSON.parse(text))
    return !link.isSlow
  }
  return {
    sent,
    link,
    waits: () => [...timers.values()],
    isHeard: () => listener !== undefined,
    print: (text: string) => listener?.({ type: 'log', text }),
    miss: (lines: number) => listener?.({ type: 'log_gap', lines }),
    pass() {
      for (const call of timers.keys()) call()
    },
    start: () => outbox.watch(send),
    stop: () => outbox.watch(undefined),
  }
}
const line = (text: string) => ({ type: 'log', text })

test('lines of 100 ms are sent in one frame, and 64 Ki units at once', () => {
  const { start, print, pass, sent, waits } = anOutbox()
  start()
  start()
  for (const text of ['one', 'two']) print(text)
  expect([sent, waits()]).toEqual([[], [100]])
  pass()
  expect([sent, waits()]).toEqual([[{ type: 'log', events: ['one', 'two'].map(line) }], []])
  const [much, little] = ['x'.repeat(65_535), 'y']
  print(much)
  expect(waits()).toEqual([100])
  print(little)
  expect([sent.slice(1), waits()]).toEqual([[{ type: 'log', events: [much, little].map(line) }], []])
  print('three')
  pass()
  expect(sent.slice(2)).toEqual([{ type: 'log', events: [line('three')] }])
})

test('over a slow link the number of lines that are left out comes with the next ones', () => {
  const { start, print, miss, pass, sent, link } = anOutbox()
  start()
  link.isSlow = true
  for (const text of ['one', 'two']) print(text)
  miss(5)
  pass()
  link.isSlow = false
  print('three')
  pass()
  expect(sent).toEqual([{ type: 'log', events: [{ type: 'log_gap', lines: 7 }, line('three')] }])
})

test('once no one follows the log, lines that wait are not sent, and the game is no longer heard', () => {
  const { start, stop, print, pass, sent, waits, isHeard } = anOutbox()
  stop()
  start()
  print('x'.repeat(65_000))
  stop()
  expect([isHeard(), waits()]).toEqual([false, []])
  start()
  print('y'.repeat(1000))
  expect([isHeard(), waits(), sent]).toEqual([true, [100], []])
  pass()
  expect(sent).toEqual([{ type: 'log', events: [line('y'.repeat(1000))] }])
})
