/** When an outage of the game is logged, and its length. */
import { describe, expect, test } from 'vitest'
import type { FailureCause } from '../../lib/failure-cause.ts'
import { outageNotices } from '../../lib/outage-notices.ts'

describe('an outage of the game', () => {
  const refused: FailureCause = { code: 'connection_refused', words: 'connection refused' }
  const silent: FailureCause = { code: 'no_answer', words: 'no answer within 2 s' }
  function watched() {
    const reported: unknown[] = []
    let now = 0
    const watch = outageNotices({
      monotonic: () => now,
      onUnreachable: ({ code }) => reported.push(code),
      onBack: (seconds) => reported.push(seconds),
    })
    return { reported, watch, pass: (seconds: number) => (now += seconds * 1000) }
  }

  test('is logged again when its cause changes', () => {
    const { reported, watch } = watched()
    for (const cause of [refused, refused, silent, silent]) watch.away(cause)
    expect(reported).toEqual(['connection_refused', 'no_answer'])
  })

  test('with two alternating causes is logged once a minute for each cause', () => {
    const { reported, watch, pass } = watched()
    for (let second = 0; second < 120; second += 1) {
      watch.away(second % 2 === 0 ? refused : silent)
      pass(1)
    }
    expect(reported).toHaveLength(4)
  })

  test('ends with a log line that says how many seconds ago the game last answered', () => {
    const { reported, watch, pass } = watched()
    watch.back()
    pass(2)
    watch.away(refused)
    pass(40)
    watch.back()
    watch.back()
    expect(reported).toEqual([undefined, 'connection_refused', 42])
  })

  test('an outage ends when the server answered, also if that is reported later', () => {
    const { reported, watch, pass } = watched()
    watch.away(refused)
    pass(40)
    watch.back(30_000)
    expect(reported).toEqual(['connection_refused', 30])
  })
})
