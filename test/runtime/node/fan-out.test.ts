/** The order of the messages to one client. */
import { PassThrough } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { FanOut } from '../../../runtime/node/fan-out.ts'
import { eventually } from '../../wait.ts'

function joined(socket = new PassThrough()) {
  const fanOut = new FanOut({ monotonic: () => 0 })
  const member = fanOut.join({ socket, isOpen: () => true, tooSlow: () => expect.fail('too slow') })
  fanOut.hear(member, ['chat'])
  return { fanOut, member, socket }
}

test('a message published before a client subscribed to the channel is not sent to that client', async () => {
  const { fanOut, member, socket } = joined()
  fanOut.publish('chat', 'a line')
  fanOut.publish('players', 'before')
  fanOut.hear(member, ['chat', 'players'])
  fanOut.publish('players', 'after')
  await nextTurn()
  const heard = String(socket.read())
  expect(heard).toContain('a line')
  expect(heard).toContain('after')
  expect(heard).not.toContain('before')
})

test('a client that subscribes while its socket is full is sent its queued messages, and none published earlier', async () => {
  const { fanOut, member, socket } = joined(new PassThrough({ highWaterMark: 16 }))
  socket.write('more than the socket takes at once')
  fanOut.watch(member)
  fanOut.publish('chat', 'a line')
  fanOut.publish('players', 'before')
  await nextTurn()
  fanOut.hear(member, ['chat', 'players'])
  fanOut.publish('players', 'after')
  await nextTurn()
  let heard = ''
  socket.on('data', (bytes) => {
    heard += String(bytes)
  })
  await eventually(() => expect(heard).toContain('after'))
  expect(heard).toContain('a line')
  expect(heard).not.toContain('before')
})

test('a message published after a client unsubscribed from the channel is not sent to that client', async () => {
  const { fanOut, member, socket } = joined()
  fanOut.hear(member, ['chat', 'players'])
  fanOut.hear(member, ['chat'])
  fanOut.publish('players', 'an event')
  fanOut.publish('chat', 'a line')
  await nextTurn()
  const heard = String(socket.read())
  expect(heard).toContain('a line')
  expect(heard).not.toContain('an event')
})

test('a line published during the delivery of the line before reaches every client', async () => {
  let now = 0
  // Each look at the clock takes longer than a slice, so that a pass over the clients takes several turns.
  const fanOut = new FanOut({ monotonic: () => (now += 1000) })
  const sockets = Array.from({ length: 200 }, () => {
    const socket = new PassThrough()
    const member = fanOut.join({ socket, isOpen: () => true, tooSlow: () => expect.fail('too slow') })
    fanOut.hear(member, ['chat'])
    return socket
  })
  fanOut.publish('chat', 'first')
  await nextTurn()
  expect([sockets[0]?.readableLength, sockets.at(-1)?.readableLength]).toEqual([7, 0])
  fanOut.publish('chat', 'second')
  await eventually(() => expect(sockets.map((socket) => socket.readableLength)).toEqual(Array(200).fill(15)))
})
