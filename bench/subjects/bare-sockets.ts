/** The peer: a loop of bare `socket.write` of one prepared frame to every client. */
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { textFrame } from '../../runtime/node/frame.ts'
import { serveSubject } from '../measure.ts'

const clients = new Set<Socket>()
const server = createServer({ noDelay: true }, (socket) => {
  // What a client sends first is its handshake; the answer is all that it waits for.
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
