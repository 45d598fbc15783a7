/** Reading chat lines by iteration over the live connection, without a network. */
import { describe, expect, test } from 'vitest'
import { SteeredSocket, started } from './steered-socket.ts'

describe('an iteration', () => {
  test('that reads slowly misses the oldest lines, and each is told as a gap', async () => {
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

  test('gets what was heard before it ends', async () => {
    const { live } = started()
    SteeredSocket.last.accept(0)
    const iterator = live[Symbol.asyncIterator]()
    SteeredSocket.last.chat(1)
    live.close()
    expect(await iterator.next()).toMatchObject({ value: { seq: 1 } })
    expect(await iterator.next()).toEqual({ done: true, value: undefined })
  })
})
