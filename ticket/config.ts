import { statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import * as v from 'valibot'
import { type ConfigProblem, type Environment, isSecret, isVariable, lookUp } from './config-variables.ts'
import type { LogLevel } from './log.ts'

/** Configuration of every command (contract/ticket-service.md section 1). Plain data: it is handed to a thread as it is. */
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
  readonly logLevel: LogLevel
  readonly logFormat: 'json' | 'pretty' | null
}

const USER_NAME =
  'must be an account name: letters, digits, _ - . @, at most 64, no path. Write it as on the sign-in page'

/** @returns whether a text can be an account name. It becomes part of a file name, so it may hold no path. */
export function isUserName(text: string): boolean {
  return /^[\p{L}\p{N}_@-][\p{L}\p{N}_.@-]{0,63}$/u.test(text) && !text.includes('..')
}

const integer = (least: number, most: number) =>
  v.pipe(
    v.string(),
    v.regex(/^[0-9]{1,10}$/, `must be a whole number from ${least} to ${most}`),
    v.transform(Number),
    v.minValue(least, `must be ${least} or more`),
    v.maxValue(most, `must be ${most} or less`),
  )

const list = v.pipe(
  v.string(),
  // A comma inside braces belongs to a glob pattern: `*.{ogg,wav}`.
  v.transform((text) => text.split(/,(?![^{]*\})/).flatMap((part) => part.trim() || [])),
)

const proxyUrl = v.pipe(
  v.string(),
  v.transform((text) => (text.includes('://') ? text : `http://${text}`)),
  v.check(
    (text) => URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol),
    'must be the address of an HTTP proxy, such as http://proxy:3128',
  ),
)

const schema = v.object({
  PLATFORM_USERNAME: v.optional(v.pipe(v.string(), v.check(isUserName, USER_NAME))),
  PLATFORM_PASSWORD: v.optional(v.string()),
  PLATFORM_REFRESH_TOKEN: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^[\w-]+\.[\w-]+\.[\w-]+$/, 'must be a refresh token, as export-token prints it'),
    ),
  ),
  PLATFORM_KEEP_LANGUAGES: v.optional(list, ''),
  PLATFORM_APP_ID: v.optional(integer(1, 4_294_967_295), '413150'),
  PLATFORM_PROXY: v.optional(proxyUrl),
  PORT: v.optional(integer(0, 65_535), '3001'),
  HOST: v.optional(v.pipe(v.string(), v.regex(/^[\w.:%-]+$/, 'must be an address, such as 127.0.0.1'))),
  TICKET_KEY: v.optional(
    v.pipe(
      v.string(),
      v.regex(
        /^[\w.~-]{16,}$/,
        'must be 16 or more of the characters A-Z a-z 0-9 - . _ ~. Make one: openssl rand -hex 24',
      ),
    ),
  ),
  SESSION_DIR: v.optional(v.string()),
  GAME_DIR: v.optional(v.string(), '/data/game'),
  FORCE_REDOWNLOAD: v.optional(
    v.picklist(['0', '1', 'true', 'false'], 'must be 1 to fetch all files again, or 0'),
    '0',
  ),
  DOWNLOAD_CONNECTIONS: v.optional(integer(1, 128), '16'),
  DOWNLOAD_WORKERS: v.optional(integer(1, 64)),
  DOWNLOAD_EXCLUDE: v.optional(list, ''),
  LOG_LEVEL: v.optional(
    v.picklist(['debug', 'info', 'warn', 'error', 'silent'], 'must be debug, info, warn, error or silent'),
    'info',
  ),
  LOG_FORMAT: v.optional(v.picklist(['json', 'pretty'], 'must be json or pretty')),
})

/** The configuration, or every problem with it at once. */
export type ConfigResult =
  | { readonly config: TicketConfig; readonly problems: null }
  | { readonly config: null; readonly problems: readonly ConfigProblem[] }

/** Reads the environment. Values of secrets are in no message. `mounted` tells whether a volume is mounted at a path. */
export function readConfig(
  environment: Environment,
  mounted: (path: string) => boolean = isMounted,
): ConfigResult {
  const lookup = lookUp(environment)
  const parsed = v.safeParse(schema, lookup.values)
  const problems = [...lookup.problems]
  if (parsed.success && problems.length === 0)
    return { config: configOf(parsed.output, mounted), problems: null }
  for (const issue of parsed.issues ?? []) {
    const key = issue.path?.[0].key
    if (!isVariable(key)) continue
    const value = isSecret(key) ? '' : ` (it is ${JSON.stringify(String(lookup.values[key]).slice(0, 80))})`
    problems.push({ variable: lookup.foundAs[key] ?? key, problem: `${issue.message}${value}` })
  }
  return { config: null, problems }
}

function configOf(values: v.InferOutput<typeof schema>, mounted: (path: string) => boolean): TicketConfig {
  return {
    username: values.PLATFORM_USERNAME ?? null,
    password: values.PLATFORM_PASSWORD ?? null,
    refreshToken: values.PLATFORM_REFRESH_TOKEN ?? null,
    port: values.PORT,
    host: values.HOST ?? null,
    ticketKey: values.TICKET_KEY ?? null,
    sessionDir: values.SESSION_DIR ?? defaultSessionDir(mounted),
    gameDir: values.GAME_DIR,
    forceRedownload: ['1', 'true'].includes(values.FORCE_REDOWNLOAD),
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

/** The seed's directory; the existing sidecar's where only that one is mounted, so that swapping the image is enough. */
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
