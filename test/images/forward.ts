import { connect, createServer, type ListenOptions, type NetConnectOpts, type Server } from 'node:net'

/** Forwards connections, each to one of its own. */
export function forward(listen: ListenOptions, to: NetConnectOpts): Server {
  return createServer((client) => {
    const inner = connect(to)
    client.on('error', () => inner.destroy())
    inner.on('error', () => client.destroy())
    client.pipe(inner).pipe(client)
  }).listen(listen)
}
