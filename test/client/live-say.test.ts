/** Saying a line over the live connection, without a network. */
import { describe, expect, test, vi } from 'vitest'
import { reconnected, SteeredSocket, started } from './steered-socket.ts'

describe('a message to say', () => {
  const said = () => SteeredSocket.last.sent.filter(({ type }) => type === 'chat_send')

  test('waits for the connection, and is said once', async () => {
    const { live } = started({ topics: [] })
    const both = Promise.all([
      live.say({ author: 'Bot', message: 'one' }),
      live.say({ author: 'Bot', message: 'two' }),
    ])
    SteeredSocket.last.drop()
    await vi.advanceTimersByTimeAsync(1_000)
    SteeredSocket.last.accept()
    expect(said().map(({ payload }) => payload?.['message'])).toEqual(['one', 'two'])
    for (const { payload } of said()) SteeredSocket.last.deliver('chat_sent', { id: payload?.['id'] })
    await both
  })

  test('whose connection drops before the answer might have been said, and is not said again', async () => {
    const { live } = started({ topics: [] })
    SteeredSocket.last.accept()
    const failed = expect(live.say({ author: 'Bot', message: 'one' })).rejects.toMatchObject({
      code: 'outcome_unknown',
      retry: false,
    })
    SteeredSocket.last.drop()
    await failed
    await reconnected()
    SteeredSocket.last.accept()
    expect(said()).toEqual([])
  })

  test('without a connection in time was not said, and never is', async () => {
    const { live } = started({ topics: [] })
    const failed = expect(
      live.say({ author: 'Bot', message: 'one' }, { timeout: 500 }),
    ).rejects.toMatchObject({
      code: 'timeout',
      retry: true,
    })
    await vi.advanceTimersByTimeAsync(500)
    await failed
    SteeredSocket.last.accept()
    expect(said()).toEqual([])
  })

  test('without an answer in time might have been said', async () => {
    const { live } = started({ topics: [] })
    SteeredSocket.last.accept()
    const failed = expect(
      live.say({ author: 'Bot', message: 'one' }, { timeout: 500 }),
    ).rejects.toMatchObject({
      code: 'outcome_unknown',
    })
    await vi.advanceTimersByTimeAsync(500)
    await failed
  })

  test('fails after the end', async () => {
    const { live } = started()
    live.close()
    await expect(live.say({ author: 'Bot', message: 'one' })).rejects.toMatchObject({ code: 'closed' })
  })
})
