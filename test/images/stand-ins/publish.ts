/** The stand-ins listen on 127.0.0.1; this makes them reachable for other containers. */
import { forward } from '../forward.ts'

/** Forwards connections to a port of the container to a port of its loopback. */
export const publish = (port: number, to: number) =>
  forward({ port, host: '0.0.0.0' }, { port: to, host: '127.0.0.1' })

/** The first process of a container gets only signals that it handles. */
process.on('SIGTERM', () => process.exit(0))
