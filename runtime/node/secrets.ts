/** The secrets of the configuration, so that no log of a game shows them. */
import type { Config } from './config.ts'
import { variables } from './variables.ts'

/** Minimum of characters of an address's part that can be a key, such as that of the ticket service. */
const shortestKey = 16

export function secretsOf(config: Config): readonly string[] {
  const values: Readonly<Record<string, unknown>> = { ...config }
  return Object.keys(variables.traits).flatMap((name) => {
    const value = values[name]
    if (typeof value !== 'string') return []
    const address = URL.parse(value)
    if (address === null) return [value]
    const parts = address.pathname.split('/').filter(({ length }) => length >= shortestKey)
    return [address.password, ...parts].filter((part) => part !== '').flatMap((part) => [part, decoded(part)])
  })
}

/** A part that is not percent-encoded UTF-8 stays as it is. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
