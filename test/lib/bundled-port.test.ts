import { once } from 'node:events'
import { MessageChannel } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import { bundledPort } from '../../lib/bundled-port.ts'

function ports() {
  const { port1, port2 } = new MessageChannel()
  onTestFinished(() => port1.close())
  const heard: unknown[] = []
  bundledPort(port2).on('message', (message) => heard.push(message))
  return { sender: bundledPort(port1), receiver: port2, heard }
}

test('the messages of one turn of the event loop are sent as one, and received in order', async () => {
  const { sender, receiver, heard } = ports()
  const arrived = once(receiver, 'message')
  for (const message of [1, { two: 2 }, 'three']) sender.postMessage(message)
  expect(await arrived).toEqual([[1, { two: 2 }, 'three']])
  expect(heard).toEqual([1, { two: 2 }, 'three'])
})

test('messages of later turns follow', async () => {
  const { sender, receiver, heard } = ports()
  for (const message of [1, 2]) {
    const arrived = once(receiver, 'message')
    sender.postMessage(message)
    await arrived
  }
  expect(heard).toEqual([1, 2])
})
