/** Listeners of the live connection, without a network. */
import { expect, onTestFinished, test, vi } from 'vitest'
import { reconnected, SteeredSocket, started } from './steered-socket.ts'

/** Uncaught errors, recorded so that they do not end the test run. */
function uncaught(): unknown[] {
  const errors: unknown[] = []
  vi.stubGlobal('queueMicrotask', (task: () => void) => {
    try {
      task()
    } catch (error) {
      errors.push(error)
    }
  })
  onTestFinished(() => void vi.unstubAllGlobals())
  return errors
}

const failing = new Error('a fault of the listener')
const fail = () => {
  throw failing
}

test('a listener that was removed is not called', () => {
  const { live } = started()
  const states: string[] = []
  const remove = live.on('state', (state) => states.push(state))
  SteeredSocket.last.accept()
  remove()
  live.close()
  expect(states).toEqual(['live'])
})

test('a listener that throws keeps no line from the other listeners and the iterations, and its error is not swallowed', async () => {
  const errors = uncaught()
  const { live } = started()
  const iterator = live[Symbol.asyncIterator]()
  SteeredSocket.last.accept(100)
  live.on('chat', fail)
  const later: number[] = []
  live.on('chat', ({ seq }) => later.push(seq))
  for (const seq of [101, 102]) SteeredSocket.last.chat(seq)
  expect(later).toEqual([101, 102])
  expect(await iterator.next()).toMatchObject({ value: { seq: 101 } })
  expect(errors).toEqual([failing, failing])
})

test('a listener of the state that throws does not stop the connection: it reconnects after a drop', async () => {
  const errors = uncaught()
  const { live, seqs } = started({ since: 100 })
  live.on('state', fail)
  SteeredSocket.last.accept()
  SteeredSocket.last.drop()
  expect(live.state).toBe('connecting')
  await reconnected()
  SteeredSocket.last.accept()
  SteeredSocket.last.chat(101)
  expect(seqs()).toEqual([101])
  expect(live.state).toBe('live')
  live.close()
  expect(live.state).toBe('closed')
  expect(SteeredSocket.last.isClosed).toBe(true)
  expect(errors).toEqual([failing, failing, failing, failing])
})

test('a listener of gaps, events or snapshots that throws does not stop changes of the copy', () => {
  const errors = uncaught()
  const { live } = started()
  for (const name of ['gap', 'event', 'snapshot'] as const) live.on(name, fail)
  SteeredSocket.last.accept(100)
  SteeredSocket.last.deliver('gap', { from: 101, to: 110 })
  SteeredSocket.last.deliver('snapshot', { topic: 'players', eventSeq: 1, data: { players: [], version: 1 } })
  const player = { id: 7, idText: '7', name: 'Abby', isOnline: true }
  SteeredSocket.last.deliver('event', { topic: 'players', event: 'player_joined', eventSeq: 2, player })
  expect(live.players?.players).toEqual([{ id: 7n, name: 'Abby', isOnline: true }])
  expect(errors).toEqual([failing, failing, failing])
})
