import { readFileSync, statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { isAbsolute, relative, sep } from 'node:path'
import type * as v from 'valibot'
import { type Environment, type EnvironmentProblem, readEnvironment } from '../lib/environment.ts'
import { variables } from './config-variables.ts'

type Values = v.InferOutput<typeof variables.schema>

/** Configuration of every command. Plain data, so that `postMessage` can clone it for a thread. */
export interface TicketConfig {
  readonly username: string | undefined
  readonly password: string | undefined
  readonly refreshToken: string | undefined
  readonly port: number
  /** The address of the dashboard, for the link in the log; without a slash at its end. */
  readonly publicUrl: string
  /** Listen address; undefined for all interfaces. */
  readonly host: string | undefined
  readonly ticketKey: string | undefined
  readonly sessionDir: string
  readonly gameDir: string
  readonly forceRedownload: boolean
  /** Whether `serve` checks the installed game files at its start. */
  readonly validateOnBoot: boolean
  /** Language codes as given, unknown ones included. */
  readonly keepLanguages: readonly string[]
  /** Proxy for every connection to Steam, `http://` or `https://`. May contain a password. */
  readonly proxy: string | undefined
  readonly appId: number
  readonly downloadConnections: number
  readonly downloadWorkers: number
  readonly downloadExclude: readonly string[]
  readonly logLevel: Values['LOG_LEVEL']
  readonly logFormat: 'json' | 'pretty' | undefined
}

/** The configuration, or every problem with it at once. */
export type ConfigResult =
  | { readonly config: TicketConfig; readonly problems: undefined }
  | { readonly config: undefined; readonly problems: readonly EnvironmentProblem[] }

/**
 * Reads the environment and the files that it names.
 * @param mounted whether a volume is mounted at a path
 * @returns the configuration or all problems; no problem contains the value of a secret
 */
export function readConfig(
  environment: Environment,
  mounted: (path: string) => boolean = isMounted,
): ConfigResult {
  const { values, problems } = readEnvironment(variables, environment, (path) => readFileSync(path, 'utf8'))
  if (values === undefined) return { config: undefined, problems }
  const config = configOf(values, mounted)
  if (!isWithin(config.gameDir, config.sessionDir)) return { config, problems: undefined }
  const problem = 'must not be in GAME_DIR, where the game server could read the session'
  return { config: undefined, problems: [{ variable: 'SESSION_DIR', problem }] }
}

/** @returns whether a path is a folder or below it */
function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way.split(sep)[0] !== '..' && !isAbsolute(way)
}

function configOf(values: Values, mounted: (path: string) => boolean): TicketConfig {
  return {
    username: values.PLATFORM_USERNAME,
    password: values.PLATFORM_PASSWORD,
    refreshToken: values.PLATFORM_REFRESH_TOKEN,
    port: values.PORT,
    publicUrl: values.PUBLIC_URL,
    host: values.HOST,
    ticketKey: values.TICKET_KEY,
    sessionDir: values.SESSION_DIR ?? defaultSessionDir(mounted),
    gameDir: values.GAME_DIR,
    forceRedownload: values.FORCE_REDOWNLOAD,
    validateOnBoot: values.VALIDATE_ON_BOOT,
    keepLanguages: values.PLATFORM_KEEP_LANGUAGES,
    proxy: values.PLATFORM_PROXY,
    appId: values.PLATFORM_APP_ID,
    downloadConnections: values.DOWNLOAD_CONNECTIONS,
    downloadWorkers: values.DOWNLOAD_WORKERS ?? Math.min(availableParallelism(), 4),
    downloadExclude: values.DOWNLOAD_EXCLUDE,
    logLevel: values.LOG_LEVEL,
    logFormat: values.LOG_FORMAT,
  }
}

/** @returns every value of a configuration that no log may show. */
export function secretsOf({
  password,
  refreshToken,
  ticketKey,
  proxy,
}: TicketConfig): (string | undefined)[] {
  const proxyPassword = proxy ? decodeURIComponent(new URL(proxy).password) : undefined
  return [password, refreshToken, ticketKey, proxyPassword, proxy && proxyPassword ? proxy : undefined]
}

/** `/data/platform-session`, or the existing sidecar's `/data/steam-session` when a volume is mounted only there. */
function defaultSessionDir(mounted: (path: string) => boolean): string {
  const own = '/data/platform-session'
  const existing = '/data/steam-session'
  return mounted(existing) && !mounted(own) ? existing : own
}

/** Compares devices: a mounted volume is on another device than its parent. The image contains both folders. */
function isMounted(path: string): boolean {
  const device = (of: string) => statSync(of, { throwIfNoEntry: false })?.dev
  return device(path) !== undefined && device(path) !== device(`${path}/..`)
}
