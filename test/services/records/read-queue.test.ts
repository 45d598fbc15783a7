/** Reads of the records: equal ones share an answer, the queue has a limit, and none delays a write. */
import { setImmediate as turn } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { openRecords } from '../../../services/records/open-records.ts'
import { maxWaiting, readQueue, TooManyReads } from '../../../services/records/read-queue.ts'
import { silent } from '../../logs.ts'
import { newFolder } from '../../new-folder.ts'

/** A read that answers its query when it is released. */
function heldRead() {
  const begun: string[] = []
  const held: (() => void)[] = []
  const read = async (query: string) => {
    begun.push(query)
    await new Promise<void>((resolve) => held.push(resolve))
    return `answer of ${query}`
  }
  return { begun, read, release: () => held.shift()?.() }
}

test('one read is made at a time; equal waiting ones share one answer', async () => {
  const { begun, read, release } = heldRead()
  const ask = readQueue()
  const answers = ['a', 'a', 'b', 'a', 'b'].map((query) => ask('list', query, read))
  expect(begun).toEqual(['a'])
  release()
  await turn()
  // The first was already running when the second came.
  expect(begun).toEqual(['a', 'a'])
  release()
  await turn()
  release()
  expect(await Promise.all(answers)).toEqual(['a', 'a', 'b', 'a', 'b'].map((query) => `answer of ${query}`))
  expect(begun).toEqual(['a', 'a', 'b'])
})

test('a read during an equal one is made again, because a write can happen in between', async () => {
  let value = 'before'
  const ask = readQueue()
  const read = async () => {
    const found = value
    await turn()
    return found
  }
  const first = ask('list', undefined, read)
  value = 'after'
  const second = ask('list', undefined, read)
  expect([await first, await second]).toEqual(['before', 'after'])
})

test('a failing read fails for all that share it, and the next is made', async () => {
  const ask = readQueue()
  const failing = async () => {
    throw new Error('no answer')
  }
  const [one, two] = [ask('list', 1, failing), ask('list', 2, failing)]
  await expect(one).rejects.toThrow('no answer')
  await expect(two).rejects.toThrow('no answer')
  expect(await ask('list', 3, async () => 'an answer')).toBe('an answer')
})

test('at most a hundred different reads wait; one more is refused at once', async () => {
  const { read, release, begun } = heldRead()
  const ask = readQueue()
  const asked = Array.from({ length: maxWaiting + 1 }, (_read, at) => ask('list', `${at}`, read))
  await expect(ask('list', 'one more', read)).rejects.toThrow(TooManyReads)
  expect(begun).toEqual(['0'])
  const all = Promise.all(asked)
  while (begun.length <= maxWaiting) {
    release()
    await turn()
  }
  release()
  expect(await all).toHaveLength(maxWaiting + 1)
})

test('writes come before any number of waiting reads, and equal reads of samples cost one or two', async () => {
  const opened = openRecords(newFolder(), { audit: 90, history: 90, chat: 30 }, silent)
  onTestFinished(() => opened.close())
  const records = opened.of('local')
  const day = 86_400_000
  const to = Math.floor(Date.now() / day) * day
  for (let minute = 1; minute < 1440; minute += 1)
    opened.later.sampled({ at: to - minute * 60_000, players: 1 })
  await records.keys()
  const order: string[] = []
  const reads = Array.from({ length: 590 }, (_read, at) =>
    // A part of them differs, as in an attack that wants to cost time.
    records
      .samples({ from: to - 999 * 60_000 - (at % 50) * 60_000, to, step: 60 })
      .then(() => order.push('read')),
  )
  const writes = Array.from({ length: 10 }, () =>
    records.makeKey({ name: 'a key', scopes: ['read'] }).then(() => order.push('write')),
  )
  await Promise.all([...reads, ...writes])
  expect(order.slice(0, 60).filter((what) => what === 'write')).toHaveLength(10)
})
