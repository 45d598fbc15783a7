/** Reads the control API's environment once, and reports every mistake in it together. */
import { join } from 'node:path'
import * as v from 'valibot'
import { type FarmSettings, settingsFromFile } from '../../bridges/settings-file/farm-settings.ts'
import type { SimulatedFarm } from '../../bridges/simulated/simulated-farm.ts'
import type { FarmPorts } from '../../handlers/endpoint.ts'
import type { GameHost } from '../../handlers/game-host.ts'
import {
  type Environment,
  type EnvironmentProblem,
  readEnvironment,
  unreadable,
} from '../../lib/environment.ts'
import { flag } from '../../lib/values.ts'
import { drivers, neededBy } from '../../services/host/host-variables.ts'
import { variables } from './variables.ts'

/** The environment and the files it names. */
export interface Surroundings {
  readonly env: Environment
  /** @throws when the file cannot be read */
  readonly readFile: (path: string) => string
  readonly isTerminal: boolean
  /** A new key to propose: 32 random bytes, base64. */
  readonly newKey: () => string
}

/** The variables of sign-in with each provider, which need each other. */
const signIns = [
  ['SIGN_IN_DISCORD_CLIENT_ID', 'SIGN_IN_DISCORD_CLIENT_SECRET'],
  ['SIGN_IN_OIDC_ISSUER', 'SIGN_IN_OIDC_CLIENT_ID', 'SIGN_IN_OIDC_CLIENT_SECRET'],
] as const

type Values = v.InferOutput<typeof variables.schema>

export interface Config extends Values {
  readonly LOG_FORMAT: NonNullable<Values['LOG_FORMAT']>
  readonly bridge: 'upstream' | 'simulated'
  /** The content of `SETTINGS_PATH`, for a simulated farm. */
  readonly settings: FarmSettings | undefined
  /** Any other process that simulates a farm logs a warning. */
  readonly demo?: Demo
}

/** What a demo has in place of the game's host, and in addition to its farm (`cli/demo/`). */
interface Demo {
  /** Called with its farm, before anything asks for it. */
  opened(farm: SimulatedFarm): void
  readonly host: GameHost
  /** Resolves when the backups of its past are in `BACKUP_DIR`. */
  readonly past: Promise<unknown>
  /** @param farm as a real one has it @returns how the demo has it */
  portsOf(farm: FarmPorts): FarmPorts
}

export const backupFolder = ({ BACKUP_DIR, DATA_DIR }: Pick<Config, 'BACKUP_DIR' | 'DATA_DIR'>): string =>
  BACKUP_DIR ?? join(DATA_DIR, 'backups')

export type ConfigReading =
  | { readonly config: Config }
  | { readonly problems: readonly [EnvironmentProblem, ...EnvironmentProblem[]] }

/** Checks the whole environment. @returns the config, or every problem there is */
export function readConfig({ env, readFile, isTerminal, newKey }: Surroundings): ConfigReading {
  const { values, problems, foundAs, text } = readEnvironment(variables, env, readFile)
  const isSet = (name: keyof Values) => foundAs(name) !== undefined
  const report = (variable: string, problem: string) => problems.push({ variable, problem })

  const isOpen = flagOf(text('ALLOW_INSECURE_SETUP')) === true
  if (!isSet('API_KEY') && !isOpen)
    report(
      'API_KEY',
      `is not set: set it, for example to this new one: API_KEY=${newKey()} or, to let everyone in, set ALLOW_INSECURE_SETUP=true`,
    )
  if (!isSet('GAME_API_URL') && text('GAME_BRIDGE') === 'upstream')
    report('GAME_API_URL', "is not set, but GAME_BRIDGE=upstream needs the game server's own API address")
  else if (!isSet('GAME_API_URL') && isSet('GAME_API_KEY'))
    report('GAME_API_URL', `is not set, but ${foundAs('GAME_API_KEY')} is; set both or neither`)
  if (isSet('EDGE_URL') && !isSet('EDGE_LINK_KEY'))
    report('EDGE_LINK_KEY', "is not set, but EDGE_URL needs the farm's link key")
  if (!isSet('EDGE_URL') && isSet('EDGE_LINK_KEY'))
    report('EDGE_URL', `is not set, but ${foundAs('EDGE_LINK_KEY')} is; set both or neither`)
  for (const name of ['BACKUP_S3_ACCESS_KEY_ID', 'BACKUP_S3_SECRET_ACCESS_KEY'] as const)
    if (isSet('BACKUP_S3_URL') && !isSet(name)) report(name, 'is not set, but BACKUP_S3_URL needs it')
  for (const name of [
    'BACKUP_S3_REGION',
    'BACKUP_S3_ACCESS_KEY_ID',
    'BACKUP_S3_SECRET_ACCESS_KEY',
    'BACKUP_PASSPHRASE',
  ] as const)
    if (isSet(name) && !isSet('BACKUP_S3_URL'))
      report('BACKUP_S3_URL', `is not set, but ${foundAs(name)} is, which is for off-site copies only`)
  const host = drivers.find((one) => one === text('GAME_HOST'))
  for (const name of host === undefined ? [] : neededBy[host])
    if (!isSet(name)) report(name, `is not set, but GAME_HOST=${host} needs it`)
  for (const names of signIns) {
    const set = names.find(isSet)
    for (const name of set === undefined ? [] : (['API_KEY', 'PUBLIC_URL', ...names] as const))
      if (!isSet(name) && !problems.some(({ variable }) => variable === name))
        report(name, `is not set, but ${set} needs it`)
  }
  const usual = isSet('GAME_API_URL') ? 'upstream' : 'simulated'
  // A game server reads its file itself, and writes it at its first start.
  const settingsPath = (text('GAME_BRIDGE') ?? usual) === 'upstream' ? undefined : text('SETTINGS_PATH')
  const settings = settingsAt(settingsPath, readFile, (wrong) => report('SETTINGS_PATH', wrong))

  const [first, ...rest] = problems
  if (first !== undefined) return { problems: [first, ...rest] }
  if (values === undefined) throw new Error('an environment without values must have a problem')
  // A key that no one chose closes nothing that the operator opened.
  const key = isOpen && foundAs('API_KEY') === 'KEYS_DIR' ? undefined : values.API_KEY
  return {
    config: {
      ...values,
      API_KEY: key,
      API_HOST: values.API_HOST ?? (key === undefined ? '127.0.0.1' : undefined),
      LOG_FORMAT: values.LOG_FORMAT ?? (isTerminal ? 'pretty' : 'json'),
      settings,
      bridge: values.GAME_BRIDGE ?? usual,
    },
  }
}

function settingsAt(
  path: string | undefined,
  readFile: Surroundings['readFile'],
  report: (problem: string) => void,
): FarmSettings | undefined {
  if (path === undefined) return undefined
  let content: string
  try {
    content = readFile(path)
  } catch (error) {
    report(unreadable(path, error))
    return undefined
  }
  try {
    return settingsFromFile(content)
  } catch (error) {
    report(`${error instanceof Error ? error.message : 'is broken'}; correct the file, it is not overwritten`)
    return undefined
  }
}

/** @returns undefined for a text that is not true, false, 1, 0, yes or no */
function flagOf(text: string | undefined): boolean | undefined {
  const parsed = v.safeParse(flag, text?.trim())
  return parsed.success ? parsed.output : undefined
}

/** With `API_ENABLED=false` the process ends without an error, even when other variables are wrong. */
export const isDisabled = (env: Environment): boolean => flagOf(env['API_ENABLED']) === false
