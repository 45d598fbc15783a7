/** The configuration of workerd (its `workerd.capnp` describes it) for one instance. */
import { join } from 'node:path'
import { bundled, type Settings, workerModule } from './bundle.ts'
import type { OwnEdgeConfig } from './config.ts'

/** Milliseconds from SIGTERM to the end of an instance of a cluster, in which it hands its objects over. */
export const handOver = 8000

/** Milliseconds between two checks of a link that no client follows. */
const linkCheck = 60_000

/** A text in the language of the configuration. */
const quoted = (text: string) =>
  `"${text.replaceAll(/[\\"]/g, '\\$&').replaceAll(/\p{Cc}/gu, (one) => `\\x${one.charCodeAt(0).toString(16).padStart(2, '0')}`)}"`

const list = (lines: readonly string[]) => `[\n    ${lines.join(',\n    ')}\n  ]`

export interface WorkerdPlaces {
  /** The folder of the bundle; workerd looks for embedded files there. */
  readonly bundle: string
  /** `host:port` on which this instance listens for the others. */
  readonly peers: string
  /** The path of the socket on which workerd listens for the shell in front of it. */
  readonly socketPath: string
  /** Divides the times of leases and hand-overs, for tests. */
  readonly timeDivisor: number
}

/**
 * It has no key of the Worker and none for the bucket: workerd reads them from its environment. It has the
 * key of the cluster, which workerd reads from nowhere else.
 */
export function workerdConfig(
  { objects, workerEnv, cluster }: Pick<OwnEdgeConfig, 'objects' | 'workerEnv' | 'cluster'>,
  { compatibilityDate, compatibilityFlags, objects: namespaces, limits, assets, vars }: Settings,
  { bundle, peers, socketPath, timeDivisor }: WorkerdPlaces,
): string {
  const json = (name: string, value: unknown) =>
    `(name = ${quoted(name)}, json = ${quoted(JSON.stringify(value))})`
  const bindings = [
    json('LINK_CHECK', linkCheck / timeDivisor),
    ...Object.entries(limits).map(([name, limit]) => json(name, limit)),
    ...Object.entries(vars).flatMap(([name, value]) =>
      name in workerEnv ? [] : [`(name = ${quoted(name)}, text = ${quoted(value)})`],
    ),
    ...Object.keys(workerEnv).map((name) => `(name = ${quoted(name)}, fromEnvironment = ${quoted(name)})`),
    ...namespaces.map(
      ({ binding, className }) =>
        `(name = ${quoted(binding)}, durableObjectNamespace = ${quoted(className)})`,
    ),
    `(name = ${quoted(assets.binding)}, service = (name = "assets", entrypoint = "AssetWorker"))`,
    ...(cluster === undefined ? [] : [`(name = "INSTANCE", service = "instance")`]),
  ]
  // The only address that the Worker itself calls is that of Discord.
  const reachable = ['public', ...('DISCORD_API_URL' in workerEnv ? ['private'] : [])]
  const services = [
    `(name = "edge", worker = (
      modules = [(name = ${quoted(bundled.entry)}, esModule = embed ${quoted(`/${bundled.entry}`)}),
        (name = ${quoted(workerModule.replace('./', ''))}, esModule = embed ${quoted(`/${bundled.worker}`)})],
      compatibilityDate = ${quoted(compatibilityDate)},
      compatibilityFlags = [${compatibilityFlags.map(quoted).join(', ')}],
      bindings = ${list(bindings)},
      durableObjectNamespaces = ${list(
        namespaces.map(
          ({ className }) =>
            // The key is part of where an object is stored.
            `(className = ${quoted(className)}, uniqueKey = ${quoted(className)}, enableSql = true)`,
        ),
      )},
      durableObjectStorage = (localDisk = "objects")))`,
    `(name = "objects", disk = (path = ${quoted(objects)}, writable = true))`,
    `(name = "assets", assets = (path = ${quoted(join(bundle, bundled.assets))}, compatibilityDate = ${quoted(compatibilityDate)},
      config = ${quoted(JSON.stringify({ html_handling: assets.htmlHandling }))}))`,
    `(name = "internet", network = (allow = [${reachable.map(quoted).join(', ')}], tlsOptions = (trustBrowserCas = true)))`,
    ...(cluster === undefined
      ? []
      : [`(name = "instance", external = (address = ${quoted(peers)}, http = ()))`]),
  ]
  const member =
    cluster === undefined
      ? ''
      : `
  cluster = (
    bucket = ${quoted(cluster.bucket)},
    bucketOptions = ["aws_allow_http=true"],
    address = ${quoted(peers)},
    advertise = ${quoted(cluster.address.text)},
    key = ${quoted(cluster.key)},
    stopTimeoutMs = ${handOver / timeDivisor},
    unsafeTimeDivisor = ${timeDivisor},
  ),`
  return `using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  logging = (structuredLogging = true),
  sockets = [(name = "http", address = ${quoted(`unix:${socketPath}`)}, http = (), service = "edge")],
  services = ${list(services)},${member}
);
`
}
