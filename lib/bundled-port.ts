import type { ThreadPort } from './thread-rpc.ts'

/**
 * Sends the messages of one turn of the event loop as one, because a message costs much more than its content. Both
 * threads must bundle.
 */
export function bundledPort(port: ThreadPort): ThreadPort {
  let waiting: unknown[] = []
  const send = () => {
    const bundle = waiting
    waiting = []
    port.postMessage(bundle)
  }
  return {
    postMessage(message) {
      if (waiting.length === 0) setImmediate(send)
      waiting.push(message)
    },
    on: (event, listener) =>
      port.on(event, (bundle) => {
        if (Array.isArray(bundle)) for (const message of bundle) listener(message)
      }),
  }
}
