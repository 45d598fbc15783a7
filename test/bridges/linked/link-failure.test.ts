/** Why the farm has no link, as in the log, and its waits before new attempts. */
import { describe, expect, test } from 'vitest'
import { addressesInTurn } from '../../../bridges/linked/farm-end/addresses.ts'
import { heartbeats } from '../../../bridges/linked/farm-end/heartbeats.ts'
import {
  causeOfSocketError,
  closedWith,
  failuresAfter,
  protocolBroken,
  refusedWith,
} from '../../../bridges/linked/farm-end/link-failure.ts'
import { backOff } from '../../../lib/back-off.ts'
import type { FailureCause } from '../../../lib/failure-cause.ts'
import { manualClock } from '../manual-clock.ts'

const keyRefused = refusedWith(401, undefined)
const broken = (words: string) => ({
  code: 'protocol_broken',
  words: `the edge does not keep to the protocol of the link (${words})`,
})

test.each<[string, FailureCause, FailureCause['code'], string]>([
  ['closed with 1001', closedWith(1001), 'closed', 'the edge closed it (1001)'],
  ['closed with 1012', closedWith(1012), 'starting', 'the edge is restarting'],
  [
    'closed with 4001',
    closedWith(4001),
    'replaced',
    'another process took it with the same link key, and only one of the two serves the farm',
  ],
  ['refused with 401', keyRefused, 'key_refused', 'the edge refuses the link key'],
  [
    'refused with 429',
    refusedWith(429, undefined),
    'rate_limited',
    'the edge takes no more requests from this farm or address for a minute (429)',
  ],
  ['refused with 429 after wrong keys', refusedWith(429, keyRefused), 'key_refused', keyRefused.words],
  [
    'refused with 500',
    refusedWith(500, undefined),
    'starting',
    'the edge cannot take the link now (status 500)',
  ],
  [
    'refused with 503',
    refusedWith(503, keyRefused),
    'starting',
    'the edge cannot take the link now (status 503)',
  ],
  [
    'refused with 404',
    refusedWith(404, undefined),
    'not_its_api',
    'what answers there is no edge with this farm (status 404)',
  ],
  [
    'refused with 499',
    refusedWith(499, undefined),
    'not_its_api',
    'what answers there is no edge with this farm (status 499)',
  ],
])('a link that is %s', (_what, cause, code, words) => {
  expect(cause).toEqual({ code, words })
})

test('a link that the farm closed means that its edge breaks the protocol', () => {
  expect(protocolBroken(4429)).toEqual(broken('4429'))
})

test('so does an invalid or too long WebSocket frame of the edge', () => {
  const error = Object.assign(new RangeError('Max payload size exceeded'), {
    code: 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH',
  })
  expect(causeOfSocketError(error)).toEqual(broken('WS_ERR_UNSUPPORTED_MESSAGE_LENGTH'))
})

test.each([
  [Object.assign(new Error('read'), { code: 'ECONNRESET' }), 'connection_lost'],
  [new Error('no code'), 'connection_failed'],
  [Object.assign(new Error('a number'), { code: 7 }), 'connection_failed'],
])('another error of the socket means the same as for every connection: %s', (error, code) => {
  expect(causeOfSocketError(error).code).toBe(code)
})

test('after the loss of a link its address is tried again before the others, but at once the next one when it is restarting', () => {
  const places = addressesInTurn(['http://one.test', 'http://two.test'])
  places.worked()
  expect([places.next(false), places.shown]).toEqual([false, 'one.test:80'])
  places.worked()
  expect([places.next(true), places.shown]).toEqual([true, 'two.test:80'])
  expect([places.next(true), places.shown]).toEqual([false, 'one.test:80'])
  const only = addressesInTurn(['http://one.test'])
  only.worked()
  expect([only.next(true), only.shown]).toEqual([false, 'one.test:80'])
})

describe('the wait before the next attempt', () => {
  /** The bounds of the waits after consecutive losses with this cause, in milliseconds. */
  const waits = (cause: FailureCause, losses: number, before = 0) => {
    let failures = before
    return Array.from({ length: losses }, () => {
      failures = failuresAfter(cause, failures)
      return [0, 1].map((random) => backOff({ first: 500, max: 30_000 }, failures, random))
    })
  }

  test('is 0.25 to 0.5 s, and doubles with each failure, up to 15 to 30 s', () => {
    expect(waits(closedWith(1006), 8)).toEqual([
      [250, 500],
      [500, 1000],
      [1000, 2000],
      [2000, 4000],
      [4000, 8000],
      [8000, 16_000],
      [15_000, 30_000],
      [15_000, 30_000],
    ])
  })

  test('is the longest one after a refused key', () => {
    expect(waits(keyRefused, 2)).toEqual([
      [15_000, 30_000],
      [15_000, 30_000],
    ])
  })

  test.each([
    ['a link that another process took over', closedWith(4001)],
    ['an edge that broke the protocol', protocolBroken(4400)],
  ])('is 4 to 8 s after %s, and doubles as after any failure', (_what, cause) => {
    expect(waits(cause, 3)).toEqual([
      [4000, 8000],
      [8000, 16_000],
      [15_000, 30_000],
    ])
    expect(waits(cause, 1, 5)).toEqual([[8000, 16_000]])
  })
})

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
