/** The farm's heartbeats, and its time limits for answers of the edge. */
import { expect, test } from 'vitest'
import { heartbeats } from '../../../bridges/linked/heartbeats.ts'
import { manualClock } from '../manual-clock.ts'

function beating() {
  const { now, after, advance } = manualClock(0)
  const sent: number[] = []
  const silentAt: number[] = []
  const beats = heartbeats(
    after,
    () => sent.push(now()),
    () => silentAt.push(now()),
  )
  return { beats, sent, silentAt, advance }
}

test('a heartbeat is sent every 12 s once they are started', () => {
  const { beats, sent, advance } = beating()
  advance(60_000)
  expect(sent).toEqual([])
  beats.start()
  advance(36_000)
  expect(sent).toEqual([72_000, 84_000, 96_000])
})

test('an edge without an answer for 10 s after a heartbeat is silent', () => {
  const { beats, silentAt, advance } = beating()
  beats.start()
  advance(21_999)
  expect(silentAt).toEqual([])
  advance(1)
  expect(silentAt).toEqual([22_000])
})

test('any frame of the edge is an answer', () => {
  const { beats, silentAt, advance } = beating()
  beats.start()
  for (let beat = 0; beat < 10; beat += 1) {
    advance(12_000)
    for (const _ of ['the answer', 'something else']) beats.received()
  }
  advance(11_999)
  expect(silentAt).toEqual([])
})

test('an answer to a heartbeat does not excuse the next one', () => {
  const { beats, silentAt, advance } = beating()
  beats.start()
  advance(13_000)
  beats.received()
  advance(21_000)
  expect(silentAt).toEqual([34_000])
})

test('an answer that is expected twice is due 10 s after the first time', () => {
  const { beats, silentAt, advance } = beating()
  beats.expect()
  advance(9000)
  beats.expect()
  advance(1000)
  expect(silentAt).toEqual([10_000])
})

test('a link that has ended sends no heartbeat, and expects nothing', () => {
  const { beats, sent, silentAt, advance } = beating()
  beats.start()
  advance(12_000)
  beats.stop()
  advance(600_000)
  expect([sent, silentAt]).toEqual([[12_000], []])
})
