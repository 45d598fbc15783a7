/** Ending the live connection in each of its states, without a network. */
import { describe, expect, test, vi } from 'vitest'
import type { Live } from '../../client/index.ts'
import { reconnected, SteeredSocket, started } from './steered-socket.ts'

const offline = { topic: 'status', eventSeq: 1, data: { isOnline: false } }

/** Each state, and how the connection reaches it. */
const states: readonly (readonly [string, Live['state'], () => void | Promise<void>])[] = [
  ['before the socket is open', 'connecting', () => undefined],
  ['before the key is accepted', 'connecting', () => SteeredSocket.last.happen('open')],
  ['while it is live', 'live', () => SteeredSocket.last.accept()],
  [
    'while the game is offline',
    'away',
    () => {
      SteeredSocket.last.accept()
      SteeredSocket.last.deliver('snapshot', offline)
    },
  ],
  [
    'in the pause after a drop',
    'connecting',
    () => {
      SteeredSocket.last.accept()
      SteeredSocket.last.drop()
    },
  ],
  [
    'during a later attempt',
    'connecting',
    async () => {
      SteeredSocket.last.drop()
      await reconnected()
    },
  ],
]

describe.each([
  ['close()', (live: Live, _abort: AbortController) => live.close()],
  ['the signal', (_live: Live, abort: AbortController) => abort.abort()],
])('%s', (_name, end) => {
  test.each(states)(
    '%s ends everything: socket, iterations, messages to say, timers',
    async (_when, state, reach) => {
      const abort = new AbortController()
      const { live, seqs } = started({ signal: abort.signal })
      const reported: string[] = []
      live.on('state', (now) => reported.push(now))
      const iterating = live[Symbol.asyncIterator]().next()
      await reach()
      expect(live.state).toBe(state)
      const said = live
        .say({ author: 'Bot', message: 'too late' })
        .catch(({ code }: { code: string }) => code)
      const connections = SteeredSocket.all.length
      end(live, abort)
      end(live, abort)
      expect(live.state).toBe('closed')
      expect(reported.filter((now) => now === 'closed')).toEqual(['closed'])
      expect(await iterating).toEqual({ done: true, value: undefined })
      // A message that was sent might have been said.
      expect(await said).toBe(['live', 'away'].includes(state) ? 'outcome_unknown' : 'closed')
      expect(SteeredSocket.last.isClosed).toBe(true)
      SteeredSocket.last.chat(500)
      SteeredSocket.last.drop()
      await reconnected()
      expect(SteeredSocket.all).toHaveLength(connections)
      expect(seqs()).toEqual([])
      expect(live.state).toBe('closed')
      expect(vi.getTimerCount()).toBe(0)
    },
  )
})

test('close() after a refusal leaves the state as it is', () => {
  const { live } = started()
  SteeredSocket.last.happen('open')
  SteeredSocket.last.deliver('auth_failed', { error: 'Invalid token' })
  live.close()
  expect(live.state).toBe('refused')
  expect(vi.getTimerCount()).toBe(0)
})

test('with a signal that is aborted already nothing is connected', async () => {
  const { live } = started({ signal: AbortSignal.abort() })
  expect(live.state).toBe('closed')
  await reconnected()
  expect(SteeredSocket.all).toEqual([])
  expect(await live[Symbol.asyncIterator]().next()).toEqual({ done: true, value: undefined })
})
