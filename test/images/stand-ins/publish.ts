/** The stand-ins listen on 127.0.0.1; this makes them reachable for other containers. */
import { connect, createServer } from 'node:net'

/** Forwards connections to a port of the container to a port of its loopback. */
export function publish(port: number, to: number): void {
  createServer((client) => {
    const inner = connect(to, '127.0.0.1')
    client.on('error', () => inner.destroy())
    inner.on('error', () => client.destroy())
    client.pipe(inner).pipe(client)
  }).listen(port, '0.0.0.0')
}

/** The first process of a container gets only signals that it handles. */
process.on('SIGTERM', () => process.exit(0))
