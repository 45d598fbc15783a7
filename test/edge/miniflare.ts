/** The deployed Worker as Cloudflare's own simulator runs it: with its routing of assets, and its bindings. */
import { fileURLToPath } from 'node:url'
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from 'miniflare'
import type { Edge } from './edge.ts'

/**
 * @param bundle the folder with `worker.js` @param vars secrets and limits @param onLog gets the log lines of the
 * Worker
 */
export async function startMiniflare(
  bundle: string,
  vars: Readonly<Record<string, string>>,
  onLog?: (line: string) => void,
): Promise<Edge> {
  const miniflare = new Miniflare({
    ...convertV4MiniflareOptions({
      host: '127.0.0.1',
      port: 0,
      name: 'farmgate',
      modules: true,
      modulesRoot: bundle,
      scriptPath: `${bundle}/worker.js`,
      compatibilityDate: '2026-10-20',
      compatibilityFlags: ['nodejs_compat', 'no_web_socket_compression'],
      bindings: { LOG_LEVEL: 'silent', ...vars },
      durableObjects: {
        FARM: { className: 'FarmObject', useSQLite: true },
        FLEET: { className: 'FleetObject', useSQLite: true },
      },
      ratelimits: {
        ADDRESS_LIMIT: { namespace_id: '1001', simple: { limit: 1_000_000, period: 60 } },
        FLEET_KEY_LIMIT: { namespace_id: '1002', simple: { limit: 10, period: 60 } },
      },
      assets: {
        directory: fileURLToPath(new URL('../../.wrangler/assets', import.meta.url)),
        binding: 'ASSETS',
        routerConfig: { invoke_user_worker_ahead_of_assets: true, has_user_worker: true },
      },
    }),
    log: new Log(LogLevel.ERROR),
    logRequests: false,
    ...(onLog !== undefined && { handleStructuredLogs: ({ message }) => onLog(message) }),
  })
  const { origin } = await miniflare.ready
  return { url: origin, stop: () => miniflare.dispose() }
}
