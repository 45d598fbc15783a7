import { expect, test } from 'vitest'
import { oneAtATime } from '../../lib/one-at-a-time.ts'

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
