/** Refuses the requests of addresses that are far above their rate (docs/security.md), much faster than the router. */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { type AddressLines, addressLines } from '../../lib/address-lines.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Connections } from '../../lib/connections.ts'
import type { Log } from '../../lib/log.ts'
import type { AllowanceOf } from '../http/allowance.ts'
import type { Gate } from '../http/gate.ts'
import { requestIdOf } from '../http/request-id.ts'
import { maxLoggedPath } from '../http/request-line.ts'
import { requestPath } from '../http/target.ts'
import { rawProblem } from './raw-problem.ts'

interface FarOverOptions extends Pick<Clock, 'monotonic'> {
  readonly gate: Pick<Gate, 'isFarOver' | 'refusalOfSpent'>
  readonly connections: Pick<Connections, 'isStranger' | 'refuse'>
  readonly allowanceOf: AllowanceOf
  /** Logs refused requests. */
  readonly refusalLines: AddressLines
  readonly log: Log
  /** Whether connections are those of a proxy, which carry requests of other clients too. */
  readonly isProxied: boolean
  readonly basePath: string
}

export function farOverAddresses(options: FarOverOptions) {
  const { gate, allowanceOf, connections, refusalLines, log, isProxied } = options
  const pathOf = requestPath(options.basePath)
  const warn = (fields: object) =>
    log.warn(fields, 'far too many requests of one address: closing its connections without the key')
  const closed = addressLines({
    now: options.monotonic,
    leftOut: (address, count) => warn({ address, connections: count }),
  })
  return {
    /** @returns false for a request to serve; otherwise its connection was closed after a 429 */
    isRefused({ socket, headers, url = '', method = '' }: IncomingMessage): boolean {
      const { remoteAddress: address = '' } = socket
      if (isProxied || !connections.isStranger(socket) || !gate.isFarOver(address)) return false
      const path = pathOf({ url: `http://localhost${url}` })
      const header = (name: string) => headers[name]?.toString()
      const problem = gate.refusalOfSpent({ header, address }, allowanceOf(method, path))
      if (problem === undefined) return false
      const { 'x-request-id': given } = headers
      const requestId = (typeof given === 'string' ? requestIdOf(given) : undefined) ?? randomUUID()
      const line = { requestId, method, path: path.slice(0, maxLoggedPath), status: problem.status, address }
      refusalLines.note(address, () => log.info(line, 'request'))
      closed.note(address, () => warn({ address }))
      connections.refuse(socket, rawProblem(problem, requestId))
      return true
    },
    flush: closed.flush,
  }
}
