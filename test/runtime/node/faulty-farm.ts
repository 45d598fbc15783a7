/** Loaded into a process: a request with the header `x-fault` throws an error that nothing catches, in its farm. */
import { type IncomingMessage, Server } from 'node:http'

const { emit } = Server.prototype
Server.prototype.emit = function (this: Server, event: string | symbol, ...given: unknown[]) {
  const [request] = given
  if (event === 'request' && (request as IncomingMessage).headers['x-fault'] !== undefined)
    setImmediate(() => {
      throw new Error('a fault of this farm')
    })
  return Reflect.apply(emit, this, [event, ...given])
}
