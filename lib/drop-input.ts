import type { Socket } from 'node:net'

/** Maximum of bytes that are read and dropped, for what was under way when the connection was to end. */
const maxDroppedBytes = 1024 * 1024

/**
 * From now on, what the peer sends is read and dropped; after `maxDroppedBytes` the connection is destroyed, because the
 * peer goes on sending. If bytes were left unread, the system would close the connection with a reset, and the peer
 * could lose the last answer.
 */
export function dropInput(socket: Socket): void {
  let left = maxDroppedBytes
  // This also takes the socket away from Node's HTTP parser, which would go on making requests of what comes.
  socket.removeAllListeners('data').on('data', (bytes: Buffer) => {
    left -= bytes.length
    if (left < 0) socket.destroy()
  })
  socket.resume()
}
