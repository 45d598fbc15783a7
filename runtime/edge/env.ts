import type { variables } from './variables.ts'

type VariablesAndSecrets = { readonly [Name in keyof typeof variables.schema.entries]?: string }

/** The Worker's bindings (wrangler.toml), its variables and its secrets (docs/configuration.md). */
export interface EdgeEnv extends Cloudflare.Env, VariablesAndSecrets {
  /** Whether the operator's own machines run it (`npm run edge:serve`); Cloudflare sets nothing. */
  readonly IS_OWN?: boolean
}
