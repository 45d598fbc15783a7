import { type CallOptions, routesOf } from './call.ts'
import type { CallName, Calls } from './calls.ts'
import { type AuditFilter, type Download, download, exportAudit } from './download.ts'
import type { FarmgateError } from './error.ts'
import { type Live, type LiveOptions, live } from './live.ts'
import { anyOf, call } from './request.ts'
import { routeTexts, timeouts } from './routes.ts'
import type { SocketClass } from './socket.ts'

export interface ConnectOptions {
  /** Of a farm: `http://localhost:8080`, or `https://edge.example/farms/clover`. */
  url: string | undefined
  /** `API_KEY`; omit it for a server without one, and for public calls. */
  key?: string | undefined
  /** In place of the global one. */
  fetch?: typeof globalThis.fetch | undefined
  /** In place of the global one, which Node has from version 22 on. */
  WebSocket?: SocketClass | undefined
  /** Milliseconds for a call, repeats included; 30,000 by default. The calls that load or copy a world have at least 150,000. */
  timeout?: number | undefined
  /** Ends all calls and live connections. */
  signal?: AbortSignal | undefined
  /**
   * Gets the cause when a live connection does not open: once for each outage. With `retry` it is tried again. By
   * default the cause is a warning on the console.
   * @example connect({ url, key, onProblem: ({ message }) => log.warn(message) })
   */
  onProblem?: ((problem: FarmgateError) => void) | undefined
}

export interface Farm extends Calls {
  /**
   * Reads the archive of a backup, a zip.
   * @throws {FarmgateError} `backup_not_found`
   * @example const { body } = await farm.downloadBackup({ id })
   */
  downloadBackup(
    backup: { id: string; from?: number | undefined },
    options?: Pick<CallOptions, 'signal'>,
  ): Promise<Download>
  /**
   * Reads the whole audit as lines of JSON, newest first. An interrupted stream ends with an error.
   * @throws {FarmgateError}
   * @example const text = await new Response(await farm.exportAudit({ action: 'setTime' })).text()
   */
  exportAudit(
    filter?: AuditFilter,
    options?: Pick<CallOptions, 'signal'>,
  ): Promise<ReadableStream<Uint8Array>>
  /**
   * The metrics of the farm, in the text format of Prometheus.
   * @throws {FarmgateError}
   */
  metrics(options?: CallOptions): Promise<string>
  /**
   * Opens a live connection for chat and events.
   * @throws {TypeError} there is no global WebSocket, and none was passed in
   * @example for await (const item of farm.live()) if (item.type === 'chat') console.log(item.playerName, item.message)
   */
  live(options?: LiveOptions): Live
}

/**
 * The farm behind an address; nothing is sent until a call.
 * @throws {TypeError} `url` is not one of http or https
 * @example const farm = connect({ url: 'http://localhost:8080', key })
 */
export function connect({
  url,
  key = '',
  timeout = 30_000,
  signal,
  onProblem = warn,
  ...platform
}: ConnectOptions): Farm {
  // A program without types passes undefined for an environment variable that is not set.
  if (url === undefined || !/^https?:\/\//i.test(url))
    throw new TypeError('connect() needs the url of a farm, which begins with http:// or https://')
  const { origin, pathname } = new URL(url)
  const base = `${origin}${pathname.replace(/\/+$/, '')}`
  // Browsers refuse a fetch that is called as the method of another object.
  const fetch: typeof globalThis.fetch = platform.fetch ?? ((...request) => globalThis.fetch(...request))
  const server = { url: base, key, fetch, timeout, signal }
  const calls = Object.fromEntries(
    [...routesOf(routeTexts)].map(([name, own]) => {
      const route = { ...own, timeout: timeouts[name as CallName] }
      return [name, (parameters?: object, options?: CallOptions) => call(server, route, parameters, options)]
    }),
  ) as unknown as Calls
  return {
    ...calls,
    downloadBackup: (backup, { signal: own } = {}) => download(server, backup, own),
    exportAudit: (filter = {}, { signal: own } = {}) => exportAudit(server, filter, own),
    metrics: async (options) =>
      String(await call(server, { method: 'GET', path: '/metrics', isText: true }, {}, options)),
    live({ signal: own, ...options } = {}) {
      const WebSocket = platform.WebSocket ?? globalThis.WebSocket
      if (WebSocket === undefined)
        throw new TypeError(
          'No global WebSocket (Node 22 has one): install ws and pass its WebSocket to connect()',
        )
      return live({ ...server, WebSocket, onProblem }, { ...options, signal: anyOf(signal, own) })
    },
  }
}

const warn = ({ message, retry }: FarmgateError) =>
  // biome-ignore lint/suspicious/noConsole: a bot whose author passes no onProblem would otherwise wait in silence
  console.warn(
    `farmgate: no live connection. ${message.replace(/\.?$/, '.')}${retry ? ' The client tries again.' : ''}`,
  )
