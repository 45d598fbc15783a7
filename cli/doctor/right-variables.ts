import type { Environment } from '../../lib/environment.ts'

/** The environment without wrong variables; a variable and its `_FILE` form have one value, so both are removed. */
export function rightVariables(
  env: Environment,
  problems: readonly { readonly variable: string }[],
): Environment {
  const bare = (name: string) => name.replace(/_FILE$/, '')
  const wrong = new Set(problems.map(({ variable }) => bare(variable)))
  return Object.fromEntries(Object.entries(env).filter(([name]) => !wrong.has(bare(name))))
}
