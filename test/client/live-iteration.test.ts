/** Reading chat lines by iteration over the live connection, without a network. */
import { describe, expect, test, vi } from 'vitest'
import type { Live } from '../../client/index.ts'
import { mailbox } from '../../client/mailbox.ts'
import { reconnected, SteeredSocket, started, unheard } from './steered-socket.ts'

describe('an iteration', () => {
  test('that reads slowly misses the oldest lines, and each is reported as a gap', async () => {
    const { live, gaps } = started()
    const iterator = live[Symbol.asyncIterator]()
    SteeredSocket.last.accept(0)
    for (let seq = 1; seq <= 10_002; seq += 1) SteeredSocket.last.chat(seq)
    expect(gaps).toEqual([
      { from: 1, to: 1 },
      { from: 2, to: 2 },
    ])
    expect(await iterator.next()).toMatchObject({ done: false, value: { seq: 3 } })
  })

  test('that is left does not close the connection, and gets no more', async () => {
    const { live } = started()
    SteeredSocket.last.accept(0)
    const first = live[Symbol.asyncIterator]()
    const waiting = first.next()
    SteeredSocket.last.chat(1)
    expect(await waiting).toMatchObject({ value: { seq: 1 } })
    await first.return?.()
    SteeredSocket.last.chat(2)
    expect(await first.next()).toEqual({ done: true, value: undefined })
    expect(live.state).toBe('live')
  })

  test('gets the lines received before it ends', async () => {
    const { live } = started()
    SteeredSocket.last.accept(0)
    const iterator = live[Symbol.asyncIterator]()
    SteeredSocket.last.chat(1)
    live.close()
    expect(await iterator.next()).toMatchObject({ value: { seq: 1 } })
    expect(await iterator.next()).toEqual({ done: true, value: undefined })
  })
})

describe('an unused connection', () => {
  const afterASecond = () => vi.advanceTimersByTimeAsync(1_000)
  /** An iteration has begun. */
  function iterated() {
    const { live } = unheard()
    const iterator = live[Symbol.asyncIterator]()
    SteeredSocket.last.accept()
    return { live, leave: () => iterator.return?.() }
  }

  test('closes a second after its last iteration is left, and leaves no timer', async () => {
    const { live, leave } = iterated()
    const other = live[Symbol.asyncIterator]()
    await leave()
    await afterASecond()
    expect(SteeredSocket.last.isClosed).toBe(false)
    await other.return?.()
    await afterASecond()
    expect([SteeredSocket.last.isClosed, live.state]).toEqual([true, 'closed'])
    await reconnected()
    expect([SteeredSocket.all.length, vi.getTimerCount()]).toEqual([1, 0])
  })

  test.each<[string, (live: Live) => unknown]>([
    ['iteration', (live) => live[Symbol.asyncIterator]()],
    ['listener', (live) => live.on('chat', () => undefined)],
  ])('opens again with the next %s, without a gap', async (_what, use) => {
    const { live, leave } = iterated()
    SteeredSocket.last.chat(101)
    await leave()
    await afterASecond()
    use(live)
    expect([SteeredSocket.all.length, live.state]).toEqual([2, 'connecting'])
    SteeredSocket.last.accept()
    expect(SteeredSocket.last.sent[0]?.payload).toEqual({ token: 'k', since: 101 })
    await afterASecond()
    expect([SteeredSocket.last.isClosed, live.state]).toEqual([false, 'live'])
  })

  test('opens again to say a line, and closes a second after the answer', async () => {
    const { live, leave } = iterated()
    await leave()
    await afterASecond()
    const said = live.say({ author: 'Bot', message: 'Hello!' })
    await afterASecond()
    SteeredSocket.last.accept()
    SteeredSocket.last.deliver('chat_sent', { id: '1' })
    await said
    await afterASecond()
    expect([SteeredSocket.all.length, SteeredSocket.last.isClosed, live.state]).toEqual([2, true, 'closed'])
  })

  test('stays open while a line is being said, or a listener receives its chat', async () => {
    const { live, leave } = iterated()
    const said = live.say({ author: 'Bot', message: 'Hello!' })
    await leave()
    await afterASecond()
    const remove = live.on('chat', () => undefined)
    SteeredSocket.last.deliver('chat_sent', { id: '1' })
    await said
    await afterASecond()
    expect(live.state).toBe('live')
    remove()
    await afterASecond()
    expect(live.state).toBe('closed')
  })

  test('stays open when it was never iterated over', async () => {
    const { live } = unheard()
    SteeredSocket.last.accept()
    const said = live.say({ author: 'Bot', message: 'Hello!' })
    SteeredSocket.last.deliver('chat_sent', { id: '1' })
    await said
    await afterASecond()
    expect(live.state).toBe('live')
  })
})

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
