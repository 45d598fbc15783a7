/**
 * Reads the farms of `serve --farms <folder>`: a file `<name>.env` for each, with the variables of a control API. Those of
 * the process are their defaults, except secrets and the folder of keys: what opens one farm must never open another.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import type { Environment, EnvironmentProblem } from '../../lib/environment.ts'
import { errorCode } from '../../lib/error-code.ts'
import { type Config, type ConfigReading, isDisabled, type Surroundings } from './config.ts'
import { withoutSecrets } from './secrets.ts'
import { addressOf, sharedPlaces } from './shared-places.ts'

export interface HostedFarm {
  /** That of its file, without `.env`. */
  readonly name: string
  readonly config: Config
}

export type FarmsReading =
  | { readonly farms: readonly HostedFarm[] }
  | { readonly problems: readonly EnvironmentProblem[] }

const fileName = /^([A-Za-z0-9][\w.-]{0,63})\.env$/

/**
 * Reads and checks all files.
 * @param of the process
 * @param read reads and checks the environment of one farm
 * @returns the farms, or every problem there is, with its file
 */
export async function readFarms(
  folder: string,
  of: Surroundings,
  read: (surroundings: Surroundings) => Promise<ConfigReading>,
): Promise<FarmsReading> {
  const { KEYS_DIR: _keys, ...shared } = withoutSecrets({ ...of.env })
  const farms: (HostedFarm & { readonly file: string })[] = []
  const problems: EnvironmentProblem[] = []
  const report = (variable: string, problem: string) => {
    // A problem of the process's own environment is found with each farm.
    if (!problems.some((one) => one.variable === variable && one.problem === problem))
      problems.push({ variable, problem })
  }
  for (const name of namesIn(folder, report)) {
    const file = join(folder, `${name}.env`)
    const own = ownVariables(file, of, report)
    const env = {
      ...shared,
      ...own,
      DATA_DIR: own?.['DATA_DIR']?.trim() || join(shared['DATA_DIR']?.trim() || 'data', name),
    }
    if (own === undefined || isDisabled(env)) continue
    const reading = await read({ ...of, env })
    if ('config' in reading) farms.push({ name, file, config: reading.config })
    else
      for (const { variable, problem } of reading.problems)
        report(variable in shared && !(variable in own) ? variable : `${file}: ${variable}`, problem)
  }
  const owners = new Map<string, string>()
  for (const [at, farm] of farms.entries()) {
    const { file, config } = farm
    for (const earlier of farms.slice(0, at))
      for (const { variable, problem } of sharedPlaces(earlier, farm)) report(`${file}: ${variable}`, problem)
    for (const [variable, value] of belongings(config)) {
      const owner = owners.get(`${variable} ${value}`)
      if (owner === undefined) owners.set(`${variable} ${value}`, file)
      else report(`${file}: ${variable}`, `is that of ${owner} too; each farm needs its own`)
    }
  }
  if (farms.length === 0 && problems.length === 0)
    report('--farms', `${folder} has no farm; add a file such as clover.env`)
  return problems.length > 0 ? { problems } : { farms }
}

type Report = (variable: string, problem: string) => void

function namesIn(folder: string, report: Report): readonly string[] {
  try {
    const files = readdirSync(folder).filter((file) => /^[^.].*\.env$/.test(file))
    for (const file of files.filter((one) => !fileName.test(one)))
      report(
        join(folder, file),
        'is not the name of a farm; use at most 64 letters, digits, dots, dashes and underscores',
      )
    return files.flatMap((file) => fileName.exec(file)?.[1] ?? []).sort()
  } catch (error) {
    report('--farms', `${folder} cannot be read (${errorCode(error) ?? 'unknown cause'}); name a folder`)
    return []
  }
}

function ownVariables(file: string, { readFile }: Surroundings, report: Report): Environment | undefined {
  try {
    return parseEnv(readFile(file))
  } catch (error) {
    report(file, `cannot be read (${errorCode(error) ?? 'unknown cause'}); check its permissions`)
    return undefined
  }
}

/** What two farms cannot have together, by variable. */
function belongings(config: Config): readonly (readonly [variable: string, value: string])[] {
  const { API_PORT, API_HOST = '', EDGE_URL = [], DOCKER_HOST, PELICAN_URL } = config
  const found: readonly (readonly [string, string | undefined])[] = [
    ['API_PORT', API_PORT === 0 ? undefined : `${API_HOST} ${API_PORT}`],
    ['GAME_API_URL', addressOf(config.GAME_API_URL)],
    ...EDGE_URL.map((url) => ['EDGE_URL', addressOf(url)] as const),
    ['GAME_CONTAINER', config.GAME_CONTAINER && `${DOCKER_HOST} ${config.GAME_CONTAINER}`],
    ['GAME_UNIT', config.GAME_UNIT],
    ['PELICAN_SERVER', config.PELICAN_SERVER && `${PELICAN_URL} ${config.PELICAN_SERVER}`],
  ]
  return found.flatMap(([variable, value]) => (value === undefined ? [] : [[variable, value] as const]))
}
