/** The stand-ins listen on 127.0.0.1; in a container the others reach them through this. */
import { connect, createServer } from 'node:net'

/** Passes connections to a port of the container on to a port of its loopback. */
export function publish(port: number, to: number): void {
  createServer((client) => {
    const inner = connect(to, '127.0.0.1')
    client.on('error', () => inner.destroy())
    inner.on('error', () => client.destroy())
    client.pipe(inner).pipe(client)
  }).listen(port, '0.0.0.0')
}

/** The first process of a container gets no signal that it does not ask for. */
process.on('SIGTERM', () => process.exit(0))
