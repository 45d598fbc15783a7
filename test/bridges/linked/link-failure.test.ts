/** Why the farm has no link, as in the log, and its waits before new attempts. */
import { describe, expect, test } from 'vitest'
import {
  causeOfSocketError,
  closedWith,
  failuresAfter,
  protocolBroken,
  refusedWith,
} from '../../../bridges/linked/link-failure.ts'
import { backOff } from '../../../lib/back-off.ts'
import type { FailureCause } from '../../../lib/failure-cause.ts'

const keyRefused = refusedWith(401, undefined)
const broken = (words: string) => ({
  code: 'protocol_broken',
  words: `the edge does not keep to the protocol of the link (${words})`,
})

test.each<[string, FailureCause, FailureCause['code'], string]>([
  ['closed with 1001', closedWith(1001), 'closed', 'the edge closed it (1001)'],
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
    'the edge takes no more requests from this address for a minute (429)',
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
