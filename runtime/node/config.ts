/** The control API's environment (contract section 1): read once, checked as a whole, told all at once. */
import * as v from 'valibot'
import { type FarmSettings, settingsFromFile } from '../bridges/simulated/settings.ts'
import { logFormats, logLevels } from './log.ts'

export interface ConfigProblem {
  readonly variable: string
  /** What is wrong and how to mend it; never the value of a secret. */
  readonly problem: string
}

/** The environment and the files it names. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>
  /** @throws when the file cannot be read */
  readonly readFile: (path: string) => string
  readonly isTerminal: boolean
  /** A new key to propose: 32 random bytes, base64. */
  readonly newKey: () => string
}

const flags: Readonly<Record<string, boolean>> = {
  true: true,
  '1': true,
  yes: true,
  false: false,
  '0': false,
  no: false,
}
const flag = v.pipe(
  v.string(),
  v.transform((text) => flags[text.toLowerCase()]),
  v.boolean('use true, false, 1, 0, yes or no'),
)
const whole = (minimum: number, maximum: number) => {
  const words = `use a whole number from ${minimum} to ${maximum}`
  return v.pipe(
    v.string(),
    v.regex(/^[0-9]{1,9}$/, words),
    v.transform(Number),
    v.minValue(minimum, words),
    v.maxValue(maximum, words),
  )
}
const oneOf = <const T extends readonly string[]>(choices: T) =>
  v.picklist(choices, `use ${choices.join(', ')}`)
const address = v.pipe(
  v.string(),
  v.check(
    (text) => ['http:', 'https:'].includes(URL.parse(text)?.protocol ?? ''),
    'use an http:// or https:// address',
  ),
  v.transform((text) => text.replace(/\/+$/, '')),
)
const origins = v.pipe(
  v.string(),
  v.transform((text) =>
    text
      .split(',')
      .map((origin) => origin.trim())
      .filter((origin) => origin !== ''),
  ),
  v.array(
    v.pipe(
      v.string(),
      v.check(
        (text) => URL.parse(text)?.origin === text.toLowerCase(),
        'use origins such as https://panel.example, separated by commas',
      ),
    ),
  ),
)
const basePath = v.pipe(
  v.string(),
  v.regex(/^(\/[A-Za-z0-9._~-]+)*\/?$/, 'use a path such as /farm'),
  v.transform((text) => text.replace(/\/$/, '')),
)
const speeds = 'use a number from 0.001 to 9999.999'
const speed = v.pipe(
  v.string(),
  v.regex(/^[0-9]{1,4}(\.[0-9]{1,3})?$/, speeds),
  v.transform(Number),
  v.minValue(0.001, speeds),
)

const anything = 1_000_000_000
const schema = v.object({
  API_ENABLED: v.optional(flag, 'true'),
  API_PORT: v.optional(whole(0, 65_535), '8080'),
  API_HOST: v.optional(v.string()),
  API_BASE_PATH: v.optional(basePath, ''),
  ALLOW_INSECURE_SETUP: v.optional(flag, 'false'),
  GAME_BRIDGE: v.optional(oneOf(['upstream', 'simulated'])),
  GAME_API_URL: v.optional(address),
  PLATFORM_AUTH_URL: v.optional(address),
  SETTINGS_PATH: v.optional(v.string()),
  ALLOWED_ORIGINS: v.optional(origins, ''),
  TRUST_PROXY: v.optional(whole(0, 16), '0'),
  PUBLIC_INVITE_CODES: v.optional(flag, 'false'),
  RATE_LIMIT_READS: v.optional(whole(0, anything), '600'),
  RATE_LIMIT_WRITES: v.optional(whole(0, anything), '60'),
  RATE_LIMIT_ANONYMOUS: v.optional(whole(0, anything), '600'),
  RATE_LIMIT_FAILED_KEYS: v.optional(whole(0, anything), '10'),
  WS_MAX_CLIENTS: v.optional(whole(1, 1_000_000), '2000'),
  LOG_LEVEL: v.optional(oneOf(logLevels), 'info'),
  LOG_FORMAT: v.optional(oneOf(logFormats)),
  EDGE_URL: v.optional(address),
  SIM_SEED: v.optional(v.string(), 'farmgate'),
  SIM_SPEED: v.optional(speed, '1'),
})

/** Variables whose values are secret, or may hold one, and are never repeated. */
const secrets: ReadonlySet<string> = new Set(['GAME_API_URL', 'PLATFORM_AUTH_URL', 'EDGE_URL'])

export interface Config extends Omit<v.InferOutput<typeof schema>, 'LOG_FORMAT'> {
  readonly LOG_FORMAT: (typeof logFormats)[number]
  readonly apiKey: string | undefined
  readonly gameApiKey: string | undefined
  readonly edgeLinkKey: string | undefined
  readonly bridge: 'upstream' | 'simulated'
  /** What `SETTINGS_PATH` holds. */
  readonly settings: FarmSettings | undefined
}

export type ConfigReading =
  | { readonly config: Config }
  | { readonly problems: readonly [ConfigProblem, ...ConfigProblem[]] }

const shortestKey = 16

/** Checks the whole environment. @returns the config, or every problem there is */
export function readConfig({ env: raw, readFile, isTerminal, newKey }: Surroundings): ConfigReading {
  const env = Object.fromEntries(
    Object.entries(raw).filter(([, value]) => value !== undefined && value !== ''),
  )
  const problems: ConfigProblem[] = []
  const report = (variable: string, problem: string) => {
    // A list tells the same of each of its members.
    if (!problems.some((told) => told.variable === variable && told.problem === problem))
      problems.push({ variable, problem })
  }

  const fileText = (variable: string): string | undefined => {
    const path = env[variable]
    if (path === undefined) return undefined
    try {
      return readFile(path)
    } catch (error) {
      report(
        variable,
        `cannot read the file it names (${error instanceof Error && 'code' in error ? error.code : 'unreadable'}); check the path and its permissions`,
      )
      return undefined
    }
  }
  const secret = (variable: string, check: (key: string) => string | undefined): string | undefined => {
    const direct = env[variable]
    const file = `${variable}_FILE`
    if (direct !== undefined && env[file] !== undefined)
      report(variable, `${file} is set too; keep one of the two`)
    const value = direct ?? fileText(file)?.trim()
    const wrong = value === undefined ? undefined : check(value)
    if (wrong !== undefined) report(direct === undefined ? file : variable, wrong)
    return value
  }

  const apiKey = secret('API_KEY', keyProblem)
  const gameApiKey = secret('GAME_API_KEY', gameKeyProblem)
  const edgeLinkKey = secret('EDGE_LINK_KEY', linkKeyProblem)
  const settings = readSettings(fileText('SETTINGS_PATH'), (wrong) => report('SETTINGS_PATH', wrong))
  const parsed = v.safeParse(schema, env)
  for (const { path, message } of parsed.issues ?? []) {
    const variable = String(path?.[0]?.key)
    report(variable, secrets.has(variable) ? message : `is ${JSON.stringify(env[variable])}; ${message}`)
  }
  const isInsecure = flags[env['ALLOW_INSECURE_SETUP']?.toLowerCase() ?? '']
  if (apiKey === undefined && env['API_KEY_FILE'] === undefined && isInsecure !== true)
    report(
      'API_KEY',
      `is not set: set it, for example to this new one: API_KEY=${newKey()} or, to let everybody in, set ALLOW_INSECURE_SETUP=true`,
    )
  if (env['GAME_BRIDGE'] === 'upstream' && env['GAME_API_URL'] === undefined)
    report('GAME_API_URL', "is not set, but GAME_BRIDGE=upstream needs the game server's own API address")
  if (env['EDGE_URL'] !== undefined && edgeLinkKey === undefined && env['EDGE_LINK_KEY_FILE'] === undefined)
    report('EDGE_LINK_KEY', "is not set, but EDGE_URL needs the farm's link key")
  if (env['EDGE_URL'] === undefined && edgeLinkKey !== undefined)
    report('EDGE_URL', 'is not set, but EDGE_LINK_KEY is; set both or neither')
  const edge = URL.parse(env['EDGE_URL'] ?? '')
  if (edge?.protocol === 'http:' && !isLoopback(edge.hostname))
    report(
      'EDGE_URL',
      'plain http would show the link key on the way; use https:// (http only to this machine)',
    )

  const [first, ...rest] = problems
  if (first !== undefined) return { problems: [first, ...rest] }
  if (!parsed.success) throw new Error('a failed parse without an issue')
  const read = parsed.output
  return {
    config: {
      ...read,
      API_HOST: read.API_HOST ?? (apiKey === undefined ? '127.0.0.1' : undefined),
      LOG_FORMAT: read.LOG_FORMAT ?? (isTerminal ? 'pretty' : 'json'),
      apiKey,
      gameApiKey,
      edgeLinkKey,
      settings,
      bridge: read.GAME_BRIDGE ?? (read.GAME_API_URL === undefined ? 'simulated' : 'upstream'),
    },
  }
}

/** The game takes any key that a header can carry; nothing else ever matches there. */
const gameKeyProblem = (key: string): string | undefined =>
  /^[\x20-\x7e]*$/.test(key) ? undefined : 'may hold only ASCII characters; the game server takes no other'

/** The edge takes any key that a header can carry. */
const linkKeyProblem = (key: string): string | undefined =>
  /^[\x20-\x7e]+$/.test(key) ? undefined : 'may hold only ASCII characters, and at least one'

function readSettings(
  content: string | undefined,
  report: (problem: string) => void,
): FarmSettings | undefined {
  try {
    return content === undefined ? undefined : settingsFromFile(content)
  } catch (error) {
    report(`${error instanceof Error ? error.message : 'is broken'}; mend the file, it is never written to`)
    return undefined
  }
}

/** A key travels in a header: visible ASCII, and long enough not to be guessed. */
function keyProblem(key: string): string | undefined {
  if (!/^[\x21-\x7e]*$/.test(key)) return 'may hold only visible ASCII characters, without blanks'
  return key.length < shortestKey
    ? `is shorter than ${shortestKey} characters; use 32 random bytes as base64 (openssl rand -base64 32)`
    : undefined
}

const isLoopback = (host: string) =>
  host === 'localhost' || host === '[::1]' || /^127(\.[0-9]+){3}$/.test(host)

/** `API_ENABLED=false` is obeyed whatever else is wrong. */
export const isDisabled = (env: Surroundings['env']): boolean =>
  flags[env['API_ENABLED']?.toLowerCase() ?? ''] === false
