/** Which farm a command calls, and with which key: options, then the environment, then a saved profile. */
import * as v from 'valibot'
import { type Environment, readEnvironment, unreadable } from '../../lib/environment.ts'
import { httpAddress } from '../../lib/values.ts'
import { wrongUsage } from '../outcome/failure.ts'
import { defaultProfile, profilesPath, readProfiles } from './profiles.ts'
import { readText, variablesOf } from './variables.ts'

export interface Where {
  readonly url: string
  /** Empty when none was given. */
  readonly key: string
}

export interface WhereOptions {
  readonly url?: string
  readonly keyFile?: string
  readonly profile?: string
}

const variables = {
  schema: v.object({
    FARMGATE_URL: v.optional(httpAddress),
    FARMGATE_KEY: v.optional(v.string()),
    FARMGATE_PROFILE: v.optional(v.string()),
  }),
  // A URL may contain a password.
  traits: { FARMGATE_URL: { secret: true }, FARMGATE_KEY: { secret: true, file: true } },
}

/** What is wrong with the variables that name a farm. */
export const whereProblems = (env: Environment) => readEnvironment(variables, env, readText).problems

/**
 * Finds address and key. A saved key is used only for the address that it was saved with.
 * @throws {Failure} no source names a farm; a wrong option, variable or file
 */
export function where(options: WhereOptions, env: Environment): Where {
  const values = variablesOf(variables, env)
  const name = options.profile ?? values.FARMGATE_PROFILE
  const given = options.url === undefined ? undefined : addressOf(options.url)
  const fromEnvironment = options.profile === undefined ? values.FARMGATE_URL : undefined
  const environmentKey = options.profile === undefined ? values.FARMGATE_KEY : undefined
  const key = keyFrom(options.keyFile) ?? environmentKey
  // A broken file of profiles does not matter when it is not needed.
  const isComplete = (given ?? fromEnvironment) !== undefined && key !== undefined
  const saved = isComplete ? undefined : savedProfile(name, env)
  const url = given ?? fromEnvironment ?? saved?.url
  const own = url === undefined ? ownFarm(env) : undefined
  if (own !== undefined) return { ...own, key: key ?? own.key }
  if (url === undefined)
    throw wrongUsage(
      'No farm is known.',
      'Save one: farmgate login <url>. Or set FARMGATE_URL and FARMGATE_KEY, or give --url and --key-file.',
    )
  const savedKey = saved?.url === url ? saved.key : undefined
  return { url, key: key ?? savedKey ?? '' }
}

/** The variables of `farmgate serve` that give its address and key. */
const serveVariables = {
  schema: v.object({
    API_KEY: v.optional(v.string()),
    KEYS_DIR: v.optional(v.string()),
    API_PORT: v.optional(v.string()),
    API_BASE_PATH: v.optional(v.string()),
  }),
  traits: { API_KEY: { secret: true, file: true, made: true } },
}

/** The farm that `farmgate serve` serves in this environment, for example in the same container. */
function ownFarm(env: Environment): Where | undefined {
  // Problems are ignored: `farmgate serve` has more variables, which count here as misspelled names of these.
  const { text } = readEnvironment(serveVariables, env, readText)
  const key = text('API_KEY')
  if (key === undefined) return undefined
  return {
    url: addressOf(`http://127.0.0.1:${text('API_PORT') ?? '8080'}${text('API_BASE_PATH') ?? ''}`),
    key,
  }
}

function savedProfile(name: string | undefined, env: Environment) {
  const profiles = readProfiles(profilesPath(env))
  const saved = Object.hasOwn(profiles, name ?? defaultProfile) ? profiles[name ?? defaultProfile] : undefined
  if (name === undefined || saved !== undefined) return saved
  const known = Object.keys(profiles).join(', ') || 'none'
  throw wrongUsage(
    `There is no profile ${name} (saved: ${known}).`,
    `Save it: farmgate login <url> --profile ${name}`,
  )
}

/**
 * @returns the address without a slash at its end
 * @throws {Failure} it is not an http or https address, or has a password in it
 */
export function addressOf(text: string): string {
  const parsed = v.safeParse(httpAddress, text)
  if (!parsed.success) throw wrongUsage(`This is not an address of a farm: ${parsed.issues[0].message}`)
  const { username, password } = new URL(parsed.output)
  if (username !== '' || password !== '')
    throw wrongUsage('The address may hold no user name and no password.', 'A key is given apart from it.')
  return parsed.output
}

/**
 * The content of a file that an option names, without white space at both ends.
 * @throws {Failure} the file is unreadable, or empty
 */
export function keyFrom(path: string | undefined, option = '--key-file'): string | undefined {
  if (path === undefined) return undefined
  try {
    const key = readText(path).trim()
    if (key !== '') return key
  } catch (error) {
    throw wrongUsage(`${option} ${unreadable(path, error)}`)
  }
  throw wrongUsage(`${option} names ${path}, which is empty`, 'Write the key into it.')
}
