/** The secrets of the configuration, so that neither a game nor its log has them. */
import type { VariableTraits } from '../../lib/environment.ts'
import type { Config } from './config.ts'
import { variables } from './variables.ts'

/** Minimum of characters of an address's part that can be a key, such as that of the ticket service. */
const shortestKey = 16

export function secretsOf(config: Config): readonly string[] {
  const values: Readonly<Record<string, unknown>> = { ...config }
  return Object.entries<VariableTraits>(variables.traits).flatMap(([name, { secret }]) => {
    const value = values[name]
    if (secret !== true || typeof value !== 'string') return []
    // A passphrase such as `horse:battery` has a scheme too.
    const address = /^https?:\/\//.test(value) ? URL.parse(value) : null
    if (address === null) return [value]
    const parts = address.pathname.split('/').filter(({ length }) => length >= shortestKey)
    return [address.password, ...parts].filter((part) => part !== '').flatMap((part) => [part, decoded(part)])
  })
}

/** @returns the environment that the farms of one process share: without the variables that are secrets */
export function withoutSecrets(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const hidden = new Set(
    Object.entries<VariableTraits>(variables.traits)
      .filter(([, { secret }]) => secret === true)
      .flatMap(([name, { aliases = [], borrowed = [] }]) => [name, ...aliases, ...borrowed])
      .flatMap((name) => [name, `${name}_FILE`]),
  )
  return Object.fromEntries(Object.entries(env).filter(([name]) => !hidden.has(name)))
}

/** A part that is not percent-encoded UTF-8 stays as it is. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
