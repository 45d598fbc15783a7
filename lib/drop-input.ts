import type { Socket } from 'node:net'

/** Maximum of bytes to read and drop, for what was in flight when the connection had to end. */
const maxDroppedBytes = 1024 * 1024

/**
 * From now on, reads and drops what the peer sends, and destroys the connection after `maxDroppedBytes`. If bytes
 * stayed unread, the system would close the connection with a reset, and the peer could lose the last answer.
 */
export function dropInput(socket: Socket): void {
  let left = maxDroppedBytes
  // This also detaches the socket from Node's HTTP parser, which would otherwise make requests of these bytes.
  socket.removeAllListeners('data').on('data', (bytes: Buffer) => {
    left -= bytes.length
    if (left < 0) socket.destroy()
  })
  socket.resume()
}
