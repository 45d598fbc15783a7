/** One HTTP request over the network of the simulation. */
import { request } from 'node:http'
import type { Network } from './network.ts'
import type { VirtualTime } from './virtual-time.ts'

export interface Asked {
  readonly method: string
  readonly path: string
  readonly key: string
  readonly body?: object
}

/** Milliseconds after which a caller gives up. */
const patience = 30_000

/** @returns undefined when no answer came */
export function ask(
  network: Network,
  time: VirtualTime,
  to: string,
  { method, path, key, body }: Asked,
): Promise<{ readonly status: number; readonly body: unknown } | undefined> {
  const { promise, resolve } = Promise.withResolvers<{ status: number; body: unknown } | undefined>()
  const text = body === undefined ? '' : JSON.stringify(body)
  const asked = request({
    createConnection: () => network.connect(to),
    method,
    path,
    headers: {
      host: to,
      authorization: `Bearer ${key}`,
      connection: 'close',
      ...(text !== '' && { 'content-type': 'application/json', 'content-length': text.length }),
    },
  })
  const cancel = time.after(patience, () => asked.destroy())
  asked.on('response', (response) => {
    let found = ''
    response.on('data', (piece: Buffer) => {
      found += piece.toString()
    })
    response.on('error', () => resolve(undefined))
    response.on('end', () => {
      try {
        resolve({ status: response.statusCode ?? 0, body: found === '' ? undefined : JSON.parse(found) })
      } catch {
        resolve(undefined)
      }
    })
  })
  asked.on('error', () => resolve(undefined))
  asked.on('close', () => {
    cancel()
    resolve(undefined)
  })
  asked.end(text)
  return promise
}
