import { describe, expect, test } from 'vitest'
import { limitsOf } from '../../../runtime/http/rate-limit.ts'

const started = (perMinute = 2) => {
  let now = 0
  const { failedKeys } = limitsOf({ reads: 0, writes: 0, anonymous: 0, failedKeys: perMinute }, () => now)
  const pass = (milliseconds: number) => {
    now += milliseconds
  }
  return { failedKeys, pass }
}

describe('a rate limit', () => {
  test('20,000 new addresses do not reset an address that is over its limit', () => {
    const { failedKeys } = started()
    for (let count = 0; count < 3; count += 1) failedKeys.take('192.0.2.1')
    for (let address = 0; address < 20_001; address += 1)
      failedKeys.take(`10.0.${address >> 8}.${address & 255}`)
    expect(failedKeys.take('192.0.2.1')).toBeGreaterThan(0)
  })

  test('forgets the least recently used address within its limit, not the oldest', () => {
    const { failedKeys } = started(3)
    failedKeys.take('the oldest')
    for (let address = 0; address < 19_999; address += 1) failedKeys.take(`${address}`)
    failedKeys.take('the oldest')
    failedKeys.take('one more')
    // It has one of three left; the forgotten address has all three again.
    expect(failedKeys.take('the oldest')).toBe(0)
    expect(failedKeys.take('the oldest')).toBeGreaterThan(0)
    for (let count = 0; count < 3; count += 1) expect(failedKeys.take('0')).toBe(0)
  })

  test('allows an address again once its allowance has refilled', () => {
    const { failedKeys, pass } = started()
    for (let count = 0; count < 3; count += 1) failedKeys.take('192.0.2.1')
    pass(30_000)
    expect(failedKeys.take('192.0.2.1')).toBe(0)
    expect(failedKeys.take('192.0.2.1')).toBeGreaterThan(0)
  })

  test('returns the whole seconds after which one more event is allowed', () => {
    const { failedKeys, pass } = started(4)
    for (let count = 0; count < 4; count += 1) expect(failedKeys.take('192.0.2.1')).toBe(0)
    expect(failedKeys.take('192.0.2.1')).toBe(15)
    pass(7_500)
    expect(failedKeys.take('192.0.2.1')).toBe(8)
    pass(7_499)
    expect(failedKeys.take('192.0.2.1')).toBe(1)
    pass(1)
    expect(failedKeys.take('192.0.2.1')).toBe(0)
  })

  test('never allows more at once than its number a minute, after any length of silence', () => {
    const { failedKeys, pass } = started(2)
    failedKeys.take('192.0.2.1')
    pass(3_600_000)
    const taken = [1, 2, 3].map(() => failedKeys.take('192.0.2.1') === 0)
    expect(taken).toEqual([true, true, false])
  })

  test('is switched off by 0', () => {
    const { failedKeys } = started(0)
    for (let count = 0; count < 100; count += 1) expect(failedKeys.take('192.0.2.1')).toBe(0)
  })
})
