import { PassThrough } from 'node:stream'
import { setTimeout as after } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { backOff, restartDelays } from '../../lib/back-off.ts'
import { byteStream } from '../../lib/byte-stream.ts'
import { onceAMinute } from '../../lib/once-a-minute.ts'
import { oneAtATime } from '../../lib/one-at-a-time.ts'
import { withTimeLimit } from '../../lib/time-limit.ts'

const waits = (random: number) =>
  [1, 2, 3, 4, 5, 6].map((failures) => backOff({ first: 100, max: 1000 }, failures, random))

test('a wait doubles with each failure, up to the maximum', () => {
  expect(waits(1)).toEqual([100, 200, 400, 800, 1000, 1000])
})

test('a wait is at random between half and all of that, so that clients do not retry together', () => {
  expect(waits(0)).toEqual([50, 100, 200, 400, 500, 500])
})

test('an infinite number of failures gives the longest wait', () => {
  expect(backOff({ first: 100, max: 1000 }, Number.POSITIVE_INFINITY, 1)).toBe(1000)
})

test('a thread that keeps ending is restarted after longer and longer waits', () => {
  const next = restartDelays({ first: 1000, max: 60_000, stableAfter: 60_000 })
  expect([10, 10, 10].map((ranFor) => next(ranFor, 1))).toEqual([1000, 2000, 4000])
  for (let times = 0; times < 10; times += 1) next(10, 1)
  expect(next(10, 1)).toBe(60_000)
})

test('a thread that ran well for more than a minute is restarted after the first wait', () => {
  const next = restartDelays({ first: 1000, max: 60_000, stableAfter: 60_000 })
  for (let times = 0; times < 10; times += 1) next(10, 1)
  expect(next(60_001, 1)).toBe(1000)
  expect(next(10, 1)).toBe(2000)
})

test('a frequent event is logged at most once a minute, with its count', () => {
  let now = 5
  const written: unknown[] = []
  const note = onceAMinute(
    (address: string, count) => void written.push({ address, count }),
    () => now,
  )
  for (let count = 0; count < 3; count += 1) note('192.0.2.1')
  expect(written).toEqual([{ address: '192.0.2.1', count: 1 }])
  now += 60_000
  note('192.0.2.2')
  expect(written.slice(1)).toEqual([{ address: '192.0.2.2', count: 3 }])
})

test('tasks run one at a time in their order, also after one that failed', async () => {
  const queue = oneAtATime()
  const seen: string[] = []
  const task = (name: string) => async () => {
    seen.push(`${name} begins`)
    await new Promise(setImmediate)
    seen.push(`${name} ends`)
    if (name === 'a') throw new Error('no')
    return name
  }
  const [a, b] = [queue.run(task('a')), queue.run(task('b'))]
  expect(queue.isFree).toBe(false)
  await expect(a).rejects.toThrow('no')
  await expect(b).resolves.toBe('b')
  expect(seen).toEqual(['a begins', 'a ends', 'b begins', 'b ends'])
  expect(queue.isFree).toBe(true)
})

const late = () => new Error('too late')

test('an answer in time is passed on, and no timer remains', async () => {
  vi.useFakeTimers()
  try {
    expect(await withTimeLimit(1000, Promise.resolve('answer'), late)).toBe('answer')
    await expect(withTimeLimit(1000, Promise.reject(new Error('no')), late)).rejects.toThrow('no')
    expect(vi.getTimerCount()).toBe(0)
  } finally {
    vi.useRealTimers()
  }
})

test("without an answer in time it fails with the caller's error", async () => {
  await expect(withTimeLimit(1, new Promise(() => undefined), late)).rejects.toThrow('too late')
})

test('has the content, and ends with it', async () => {
  const content = new PassThrough()
  content.write('one ')
  content.end('two')
  expect(await new Response(byteStream(content)).text()).toBe('one two')
})

test('cancelled before it is read, as the answer of a HEAD is, it ends the content and throws nothing', async () => {
  const content = new PassThrough()
  content.write('one')
  const stream = byteStream(content)
  await Promise.resolve()
  await stream.cancel()
  await after(10)
  expect(content.destroyed).toBe(true)
})

test('fails as its content does', async () => {
  const content = new PassThrough()
  const read = new Response(byteStream(content)).text()
  content.destroy(new Error('the disk is lost'))
  await expect(read).rejects.toThrow('the disk is lost')
})
