import { expect, test } from 'vitest'
import { mailbox } from '../../client/mailbox.ts'

const box = () => mailbox<string>({ onDropped: () => undefined, onReturn: () => undefined })

test('several pending calls of next() get the items in the order of the calls', async () => {
  const { put, iterator } = box()
  const calls = [iterator.next(), iterator.next(), iterator.next()]
  for (const item of ['a', 'b', 'c']) put(item)
  expect(await Promise.all(calls)).toEqual(['a', 'b', 'c'].map((value) => ({ done: false, value })))
})

test('all pending calls of next() finish when the mailbox ends', async () => {
  const { end, iterator } = box()
  const calls = [iterator.next(), iterator.next()]
  end()
  expect(await Promise.all(calls)).toEqual(calls.map(() => ({ done: true, value: undefined })))
})

test('of the pending calls of next(), the first fails with the failure and the others finish', async () => {
  const { end, iterator } = box()
  const calls = [iterator.next(), iterator.next(), iterator.next()]
  end(new Error('the connection was lost'))
  const [first, ...others] = await Promise.allSettled(calls)
  expect(first).toMatchObject({ status: 'rejected', reason: { message: 'the connection was lost' } })
  expect(others).toEqual(others.map(() => ({ status: 'fulfilled', value: { done: true, value: undefined } })))
})

test('all pending calls of next() finish when the iteration is left', async () => {
  const { iterator } = box()
  const calls = [iterator.next(), iterator.next()]
  await iterator.return?.()
  expect(await Promise.all(calls)).toEqual(calls.map(() => ({ done: true, value: undefined })))
})

test('items from before the end are read before the failure is thrown', async () => {
  const { put, end, iterator } = box()
  put('a')
  end(new Error('the connection was lost'))
  expect(await iterator.next()).toEqual({ done: false, value: 'a' })
  await expect(iterator.next()).rejects.toThrow('the connection was lost')
  expect(await iterator.next()).toEqual({ done: true, value: undefined })
})
