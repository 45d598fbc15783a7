import { expect, test } from 'vitest'
import { mailbox } from '../../client/mailbox.ts'

const box = () => mailbox<string>({ onDropped: () => undefined, onReturn: () => undefined })

test('several calls of next() that wait at the same time get the items in the order of the calls', async () => {
  const { put, iterator } = box()
  const calls = [iterator.next(), iterator.next(), iterator.next()]
  for (const item of ['a', 'b', 'c']) put(item)
  expect(await Promise.all(calls)).toEqual(['a', 'b', 'c'].map((value) => ({ done: false, value })))
})

test('all calls of next() that wait are done when the mailbox ends', async () => {
  const { end, iterator } = box()
  const calls = [iterator.next(), iterator.next()]
  end()
  expect(await Promise.all(calls)).toEqual(calls.map(() => ({ done: true, value: undefined })))
})

test('of the calls of next() that wait, the first one fails with the failure and the others are done', async () => {
  const { end, iterator } = box()
  const calls = [iterator.next(), iterator.next(), iterator.next()]
  end(new Error('the connection was lost'))
  const [first, ...others] = await Promise.allSettled(calls)
  expect(first).toMatchObject({ status: 'rejected', reason: { message: 'the connection was lost' } })
  expect(others).toEqual(others.map(() => ({ status: 'fulfilled', value: { done: true, value: undefined } })))
})

test('all calls of next() that wait are done when the iteration is left', async () => {
  const { iterator } = box()
  const calls = [iterator.next(), iterator.next()]
  await iterator.return?.()
  expect(await Promise.all(calls)).toEqual(calls.map(() => ({ done: true, value: undefined })))
})

test('items that came before the end are read before the failure is thrown', async () => {
  const { put, end, iterator } = box()
  put('a')
  end(new Error('the connection was lost'))
  expect(await iterator.next()).toEqual({ done: false, value: 'a' })
  await expect(iterator.next()).rejects.toThrow('the connection was lost')
  expect(await iterator.next()).toEqual({ done: true, value: undefined })
})
