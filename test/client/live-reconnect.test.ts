/** The live connection after a drop: when it reconnects, and which lines it then delivers, without a network. */
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { reconnected, SteeredSocket, started } from './steered-socket.ts'

describe('after a drop', () => {
  test('it asks for the lines after the last one, also when it has received none', async () => {
    const { seqs, gaps } = started()
    SteeredSocket.last.accept(100)
    SteeredSocket.last.drop()
    await reconnected()
    SteeredSocket.last.accept()
    expect(SteeredSocket.last.sent[0]?.payload).toEqual({ token: 'k', since: 100 })
    SteeredSocket.last.chat(101)
    SteeredSocket.last.drop()
    await reconnected()
    SteeredSocket.last.accept()
    expect(SteeredSocket.last.sent[0]?.payload).toEqual({ token: 'k', since: 101 })
    SteeredSocket.last.chat(101)
    SteeredSocket.last.chat(102)
    expect(seqs()).toEqual([101, 102])
    expect(gaps).toEqual([])
  })

  test('lines that the server no longer has are reported as a gap', async () => {
    const { gaps, seqs } = started()
    SteeredSocket.last.accept(100)
    SteeredSocket.last.drop()
    await reconnected()
    SteeredSocket.last.accept()
    SteeredSocket.last.deliver('gap', { from: 101, to: 150 })
    SteeredSocket.last.chat(151)
    expect(gaps).toEqual([{ from: 101, to: 150 }])
    expect(seqs()).toEqual([151])
  })

  test('when the server restarts its numbering lower, the chat continues from there', async () => {
    const { gaps, seqs } = started({ since: 900 })
    SteeredSocket.last.accept()
    SteeredSocket.last.deliver('gap', { from: null, to: 20 })
    SteeredSocket.last.chat(21)
    expect(gaps).toEqual([{ from: null, to: 20 }])
    expect(seqs()).toEqual([21])
  })

  test('a line is delivered once, also when the server sends it both as missed and as new', async () => {
    const { seqs, gaps } = started({ since: 100 })
    SteeredSocket.last.accept()
    for (const seq of [101, 102]) SteeredSocket.last.chat(seq)
    SteeredSocket.last.drop()
    await reconnected()
    SteeredSocket.last.accept()
    for (const seq of [101, 102, 103, 103, 102]) SteeredSocket.last.chat(seq)
    expect(seqs()).toEqual([101, 102, 103])
    expect(gaps).toEqual([])
  })

  test.each([
    ['shortest', 0, 500],
    ['longest', 1, 1_000],
  ])(
    'each pause has a jitter of up to its half, so that clients do not all return together: the %s',
    async (_, random, pause) => {
      const mocked = vi.spyOn(Math, 'random').mockReturnValue(random)
      onTestFinished(() => mocked.mockRestore())
      started()
      SteeredSocket.last.drop()
      await vi.advanceTimersByTimeAsync(pause - 1)
      expect(SteeredSocket.all).toHaveLength(1)
      await vi.advanceTimersByTimeAsync(1)
      expect(SteeredSocket.all).toHaveLength(2)
    },
  )

  test('the pauses before new attempts grow to half a minute, and restart once the server accepts', async () => {
    started()
    const attempts = () => SteeredSocket.all.length
    for (let failures = 0; failures < 8; failures += 1) {
      SteeredSocket.last.drop()
      await reconnected()
    }
    expect(attempts()).toBe(9)
    SteeredSocket.last.drop()
    await vi.advanceTimersByTimeAsync(14_000)
    expect(attempts()).toBe(9)
    await reconnected()
    expect(attempts()).toBe(10)
    SteeredSocket.last.accept()
    SteeredSocket.last.drop()
    await vi.advanceTimersByTimeAsync(1_000)
    expect(attempts()).toBe(11)
  })
})

test('a connection whose server is silent after a ping is replaced', async () => {
  const { live } = started()
  SteeredSocket.last.accept()
  await vi.advanceTimersByTimeAsync(30_000)
  expect(SteeredSocket.last.sent.at(-1)).toEqual({ type: 'ping' })
  SteeredSocket.last.deliver('pong')
  await vi.advanceTimersByTimeAsync(30_000)
  const silent = SteeredSocket.last
  await vi.advanceTimersByTimeAsync(10_000)
  expect(silent.isClosed).toBe(true)
  expect(live.state).toBe('connecting')
  silent.chat(500)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(SteeredSocket.all).toHaveLength(2)
})

test('a connection that the server accepts and never opens is dropped', async () => {
  started()
  await vi.advanceTimersByTimeAsync(41_000)
  expect(SteeredSocket.all).toHaveLength(2)
})
