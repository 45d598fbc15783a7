import { readFileSync, statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import type * as v from 'valibot'
import { type Environment, type EnvironmentProblem, readEnvironment } from '../process/environment.ts'
import { variables } from './config-variables.ts'

type Values = v.InferOutput<typeof variables.schema>

/** Configuration of every command. Plain data: it is handed to a thread as it is. */
export interface TicketConfig {
  readonly username: string | null
  readonly password: string | null
  readonly refreshToken: string | null
  readonly port: number
  /** Listen address; null for all interfaces. */
  readonly host: string | null
  readonly ticketKey: string | null
  readonly sessionDir: string
  readonly gameDir: string
  readonly forceRedownload: boolean
  /** Language codes as given, unknown ones included. */
  readonly keepLanguages: readonly string[]
  /** Proxy for every connection to the platform, `http://` or `https://`. May hold a password. */
  readonly proxy: string | null
  readonly appId: number
  readonly downloadConnections: number
  readonly downloadWorkers: number
  readonly downloadExclude: readonly string[]
  readonly logLevel: Values['LOG_LEVEL']
  readonly logFormat: 'json' | 'pretty' | null
}

/** The configuration, or every problem with it at once. */
export type ConfigResult =
  | { readonly config: TicketConfig; readonly problems: null }
  | { readonly config: null; readonly problems: readonly EnvironmentProblem[] }

/** Reads the environment. Values of secrets are in no message. `mounted` tells whether a volume is mounted at a path. */
export function readConfig(
  environment: Environment,
  mounted: (path: string) => boolean = isMounted,
): ConfigResult {
  const { values, problems } = readEnvironment(variables, environment, (path) => readFileSync(path, 'utf8'))
  return values === undefined
    ? { config: null, problems }
    : { config: configOf(values, mounted), problems: null }
}

function configOf(values: Values, mounted: (path: string) => boolean): TicketConfig {
  return {
    username: values.PLATFORM_USERNAME ?? null,
    password: values.PLATFORM_PASSWORD ?? null,
    refreshToken: values.PLATFORM_REFRESH_TOKEN ?? null,
    port: values.PORT,
    host: values.HOST ?? null,
    ticketKey: values.TICKET_KEY ?? null,
    sessionDir: values.SESSION_DIR ?? defaultSessionDir(mounted),
    gameDir: values.GAME_DIR,
    forceRedownload: values.FORCE_REDOWNLOAD,
    keepLanguages: values.PLATFORM_KEEP_LANGUAGES,
    proxy: values.PLATFORM_PROXY ?? null,
    appId: values.PLATFORM_APP_ID,
    downloadConnections: values.DOWNLOAD_CONNECTIONS,
    downloadWorkers: values.DOWNLOAD_WORKERS ?? Math.min(availableParallelism(), 4),
    downloadExclude: values.DOWNLOAD_EXCLUDE,
    logLevel: values.LOG_LEVEL,
    logFormat: values.LOG_FORMAT ?? null,
  }
}

/** @returns every value of a configuration that no log may show. */
export function secretsOf({ password, refreshToken, ticketKey, proxy }: TicketConfig): (string | null)[] {
  const inProxy = proxy ? decodeURIComponent(new URL(proxy).password) : null
  return [password, refreshToken, ticketKey, inProxy, proxy && inProxy ? proxy : null]
}

/** Our directory; the existing sidecar's where only that one is mounted, so that swapping the image is enough. */
function defaultSessionDir(mounted: (path: string) => boolean): string {
  const own = '/data/platform-session'
  const existing = '/data/steam-session'
  return mounted(existing) && !mounted(own) ? existing : own
}

/** A mounted volume lies on another device than the folder it is in. The image has both folders, so being there says nothing. */
function isMounted(path: string): boolean {
  const device = (of: string) => statSync(of, { throwIfNoEntry: false })?.dev
  return device(path) !== undefined && device(path) !== device(`${path}/..`)
}
