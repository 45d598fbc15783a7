/** For comparison: a loop that writes one prepared frame to the bare socket of every client. */
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { textFrame } from '../../runtime/node/frame.ts'
import { serveSubject } from '../measure.ts'

const clients = new Set<Socket>()
const server = createServer({ noDelay: true }, (socket) => {
  // The first bytes of a client are its handshake, which is not checked.
  socket.once('data', () => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n')
    clients.add(socket)
  })
  socket.on('error', () => clients.delete(socket))
})
server.listen(0, '127.0.0.1', () =>
  serveSubject({
    port: () => (server.address() as AddressInfo).port,
    say: (text: string, lines: number) => {
      const at = performance.timeOrigin + performance.now()
      for (let line = 0; line < lines; line += 1) {
        const frame = textFrame(text)
        for (const client of clients) client.write(frame)
      }
      return at
    },
  }),
)
