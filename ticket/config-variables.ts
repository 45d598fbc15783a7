import { readFileSync } from 'node:fs'

/** A problem with one variable, in words for the operator. */
export interface ConfigProblem {
  readonly variable: string
  readonly problem: string
}

/** How a variable is looked up: its names in order, and whether `<name>_FILE` may hold its value. */
interface Variable {
  readonly names: readonly string[]
  readonly secret?: boolean
}

const platform = (name: string, secret = false): Variable => ({
  names: [`PLATFORM_${name}`, `STEAM_${name}`],
  secret,
})

/** Every variable that the ticket service reads (contract/ticket-service.md section 1). */
export const variables = {
  PLATFORM_USERNAME: platform('USERNAME'),
  PLATFORM_PASSWORD: platform('PASSWORD', true),
  PLATFORM_REFRESH_TOKEN: platform('REFRESH_TOKEN', true),
  PLATFORM_KEEP_LANGUAGES: platform('KEEP_LANGUAGES'),
  PLATFORM_APP_ID: platform('APP_ID'),
  PLATFORM_PROXY: { names: ['PLATFORM_PROXY', 'STEAM_PROXY', 'HTTPS_PROXY', 'https_proxy'], secret: true },
  PORT: { names: ['PORT'] },
  HOST: { names: ['HOST'] },
  TICKET_KEY: { names: ['TICKET_KEY'], secret: true },
  SESSION_DIR: { names: ['SESSION_DIR'] },
  GAME_DIR: { names: ['GAME_DIR'] },
  FORCE_REDOWNLOAD: { names: ['FORCE_REDOWNLOAD'] },
  DOWNLOAD_CONNECTIONS: { names: ['DOWNLOAD_CONNECTIONS'] },
  DOWNLOAD_WORKERS: { names: ['DOWNLOAD_WORKERS'] },
  DOWNLOAD_EXCLUDE: { names: ['DOWNLOAD_EXCLUDE'] },
  LOG_LEVEL: { names: ['LOG_LEVEL'] },
  LOG_FORMAT: { names: ['LOG_FORMAT'] },
} as const satisfies Record<string, Variable>

export type VariableName = keyof typeof variables
export type Environment = Readonly<Record<string, string | undefined>>

/** Values found, by the first name of each variable; blank ones count as unset. */
export interface Lookup {
  readonly values: Partial<Record<VariableName, string>>
  /** Under which name each was found, for messages. */
  readonly foundAs: Partial<Record<VariableName, string>>
  readonly problems: ConfigProblem[]
}

/** Looks up every variable: `PLATFORM_` before `STEAM_`, a secret also from the file that `<name>_FILE` names. */
export function lookUp(environment: Environment): Lookup {
  const lookup: Lookup = { values: {}, foundAs: {}, problems: [] }
  for (const key of Object.keys(variables)) {
    if (!isVariable(key)) continue
    const { names, secret }: Variable = variables[key]
    for (const name of names) {
      const value = readValue(environment, name, secret === true, lookup.problems)
      if (value === undefined) continue
      lookup.values[key] = value
      lookup.foundAs[key] = name
      break
    }
  }
  return lookup
}

/** @returns whether a text names one of our variables. */
export function isVariable(text: unknown): text is VariableName {
  return typeof text === 'string' && Object.hasOwn(variables, text)
}

/** @returns whether a variable's value must never be shown. */
export function isSecret(name: VariableName): boolean {
  const variable: Variable = variables[name]
  return variable.secret === true
}

function readValue(environment: Environment, name: string, secret: boolean, problems: ConfigProblem[]) {
  const direct = environment[name]?.trim() || undefined
  const file = secret ? environment[`${name}_FILE`]?.trim() || undefined : undefined
  if (!file) return direct
  if (direct) {
    problems.push({ variable: name, problem: `is set together with ${name}_FILE. Set only one of the two` })
    return undefined
  }
  try {
    const value = readFileSync(file, 'utf8').trim()
    if (value) return value
    problems.push({
      variable: `${name}_FILE`,
      problem: `names ${file}, which is empty. Write the value into it`,
    })
  } catch {
    problems.push({
      variable: `${name}_FILE`,
      problem: `names ${file}, which cannot be read. Check path and permissions`,
    })
  }
  return undefined
}
