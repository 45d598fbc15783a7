/** The environment of `farmgate serve`, where the doctor runs in it: in its container, or in the same shell. */
import type { Environment } from '../../lib/environment.ts'
import { ask } from './ask.ts'
import { broken, type Check, type Checks, ok, warning } from './check.ts'
import { edgeChecks } from './edge.ts'
import { gameServerChecks } from './game.ts'
import { rightVariables } from './right-variables.ts'
import { signInChecks } from './sign-in.ts'
import { ticketServiceChecks } from './ticket-service.ts'

interface OwnFarm {
  readonly checks: readonly Check[]
  /** Where farmgate listens, when the environment is right. */
  readonly own?: { readonly url: string; readonly key: string }
}

const serveVariables = [
  'API_KEY',
  'API_KEY_FILE',
  'KEYS_DIR',
  'GAME_API_URL',
  'EDGE_URL',
  'PLATFORM_AUTH_URL',
  'ALLOW_INSECURE_SETUP',
]

export const isOfServe = (env: Environment): boolean => serveVariables.some((name) => env[name])

export async function environmentChecks(env: Environment, signal: AbortSignal): Promise<OwnFarm> {
  const { readConfig } = await import('../../runtime/node/config.ts')
  const { surroundings } = await import('../../runtime/node/main.ts')
  const whole = readConfig(surroundings(env))
  const problems = 'problems' in whole ? whole.problems : []
  const wrong = problems.map(({ variable, problem }) =>
    broken(variable, problem, '/help/configuration has every variable.'),
  )
  // The targets of the other variables are checked anyway.
  const reading = wrong.length === 0 ? whole : readConfig(surroundings(rightVariables(env, problems)))
  if ('problems' in reading) return { checks: wrong }
  const { config } = reading
  const { tryCopyPlace } = await import('../../runtime/node/check-config.ts')
  const { API_KEY, GAME_API_URL, GAME_API_KEY, PLATFORM_AUTH_URL, EDGE_URL, EDGE_LINK_KEY } = config
  const url = `http://127.0.0.1:${config.API_PORT}${config.API_BASE_PATH}`
  const checks = await Promise.all([
    wrong.length === 0 ? [ok('environment', 'every variable is right')] : wrong,
    keyChecks(API_KEY, GAME_API_KEY),
    portChecks(url, signal),
    GAME_API_URL === undefined
      ? [
          warning(
            'game server',
            'none is set: a simulated farm is served',
            'Set GAME_API_URL and GAME_API_KEY.',
          ),
        ]
      : gameServerChecks(GAME_API_URL.replace(/\/+$/, ''), GAME_API_KEY ?? '', signal),
    PLATFORM_AUTH_URL === undefined ? [] : ticketServiceChecks(PLATFORM_AUTH_URL, signal),
    EDGE_URL === undefined
      ? []
      : Promise.all(
          EDGE_URL.map((url) =>
            edgeChecks(url, { linkKey: EDGE_LINK_KEY ?? '', apiKey: API_KEY ?? '' }, signal),
          ),
        ).then((checked) => checked.flat()),
    tryCopyPlace(config).then(storageChecks),
    signInChecks(config, signal),
  ])
  return { checks: checks.flat(), own: { url, key: API_KEY ?? '' } }
}

interface TriedStorage {
  readonly place: string
  readonly isEncrypted: boolean
  readonly problem?: string
}

function storageChecks(tried: TriedStorage | undefined): Checks {
  if (tried === undefined) return []
  const { place, isEncrypted, problem } = tried
  if (problem !== undefined)
    return broken('BACKUP_S3_URL', `${place}: ${problem}`, '/help/backups#when-a-copy-fails has the causes.')
  const how = isEncrypted ? 'encrypted' : 'plain: anyone who reads them reads the farm'
  return ok('BACKUP_S3_URL', `${place} takes copies of backups; they are ${how}`)
}

function keyChecks(apiKey: string | undefined, gameKey: string | undefined): Checks {
  if (apiKey === undefined)
    return warning('API_KEY', 'none is set: anyone who reaches the address controls the farm', 'Set API_KEY.')
  const same = warning(
    'API_KEY',
    'it is also the key of the game server',
    'Give clients a separate key: then a leaked one can be replaced without the game server.',
  )
  return [keyStrength('API_KEY', apiKey), ...(apiKey === gameKey ? [same] : [])]
}

async function portChecks(url: string, signal: AbortSignal): Promise<Checks> {
  const asked = await ask(`${url}/health`, { signal })
  const { port } = new URL(url)
  if ('cause' in asked)
    return warning(
      'port',
      `nothing answers at ${port}: ${asked.cause}`,
      'Start farmgate, or run the doctor where it runs.',
    )
  const isFarmgate = typeof asked.body === 'object' && asked.body !== null && 'gameAvailable' in asked.body
  return isFarmgate
    ? ok('port', `farmgate listens at ${port}`)
    : broken('port', `another program answers at ${port}`, 'Stop it, or set API_PORT to a free port.')
}

/** Minimum strength of a key in bits, so that no one can guess it. */
const enough = 96
const remedy = 'Use 32 random bytes: openssl rand -base64 32'

/** An upper bound of a key's strength, from its length and the variety of its characters. */
function keyStrength(variable: string, key: string): Check {
  const bits = Math.round(key.length * Math.log2(Math.max(1, new Set(key).size)))
  if (/change.?me|password|secret|example|1234/i.test(key))
    return warning(variable, 'it contains a word that attackers try first', remedy)
  if (bits < enough)
    return warning(variable, `it is easier to guess than a random key (${bits} bits at most)`, remedy)
  return ok(variable, `${key.length} characters`)
}
