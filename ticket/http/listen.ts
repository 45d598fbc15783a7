import type { ConnectionLimits } from '../../lib/connection-limits.ts'
import { type HttpFault, httpShell } from '../../lib/http-shell.ts'
import { isWrongHost, listenProblem } from '../../lib/listen-address.ts'
import type { Log } from '../../lib/log.ts'
import { Failure } from '../errors.ts'
import { type Connection, connectionOf } from './connection.ts'
import { isRefused } from './early-refusal.ts'
import type { Gate } from './gate.ts'
import type { HttpMetrics } from './http-metrics.ts'
import { bytesOf, responseOf } from './response.ts'
import { problem } from './routes/problems.ts'
import type { TicketAnswer } from './routes/route.ts'

/** The application that answers requests. */
interface Fetch {
  fetch(request: Request, connection: Connection): Response | Promise<Response>
}

export interface ListenOptions {
  /** 0 is any free port. */
  readonly port: number
  /** Listen address; undefined for all interfaces. */
  readonly host: string | undefined
  readonly gate: Pick<Gate, 'isSpent' | 'refusalOfSpent' | 'malformed'>
  readonly meter: Pick<HttpMetrics, 'answered'>
  readonly log: Pick<Log, 'warn'>
  /** Milliseconds of a clock that never runs backwards. */
  readonly monotonic: () => number
  /** Limits on connections, where they differ from the usual ones. */
  readonly limits?: Partial<ConnectionLimits>
}

/** A server that listens. */
export interface Listening {
  readonly port: number
  close(): Promise<void>
}

/** Milliseconds for pending requests when the server closes. */
const closeTimeout = 500

/**
 * Serves an app on a port.
 * @throws Failure when the port is in use or no interface of this machine has the address
 */
export async function listen(
  app: Fetch,
  { port, host, gate, meter, log, monotonic, limits = {} }: ListenOptions,
): Promise<Listening> {
  const shell = httpShell({
    maxWebSockets: 0,
    limits,
    trustProxy: 0,
    warn: {
      ofAll: (fields) =>
        log.warn(fields, 'Too many connections: closing those without the key that were idle longest'),
      ofOneAddress: (fields) =>
        log.warn(
          fields,
          'Too many connections of one address: closing those without the key that were idle longest',
        ),
    },
    monotonic,
  })
  const { connections } = shell
  /** Counts a request that the app cannot judge. @returns its answer */
  const refused = ({ code, sentence }: HttpFault, address: string): TicketAnswer => {
    const counted = gate.malformed(address, problem(statuses[code], code, sentence))
    meter.answered('other', counted.status)
    return counted
  }
  try {
    const at = await shell.serve(
      {
        fetch: (request, { incoming }) => app.fetch(request, connectionOf(incoming, connections)),
        isRefused: isRefused({ gate, connections, meter }),
        malformed: (fault, address) => responseOf(refused(fault, address)),
        lastBytes: (fault, address) => async () => bytesOf(refused(fault, address)),
      },
      { port, host },
    )
    // Waiting requests are cut off; their callers try again.
    return { port: at.port, close: () => shell.close(closeTimeout) }
  } catch (error) {
    throw listenFailure(error, port, host)
  }
}

const statuses: Readonly<Record<HttpFault['code'], number>> = {
  malformed_request: 400,
  headers_too_large: 431,
  request_timeout: 408,
}

function listenFailure(error: unknown, port: number, host: string | undefined): Failure {
  const at = { port, host: host ?? undefined }
  const reason = listenProblem(error, at, { host: 'HOST', port: 'PORT' }) ?? String(error)
  return new Failure(isWrongHost(error) ? 'environment' : 'failed', `cannot start: ${reason}`, {
    cause: error,
  })
}
