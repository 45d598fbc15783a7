import type { variables } from './variables.ts'

type VariablesAndSecrets = { readonly [Name in keyof typeof variables.schema.entries]?: string }

/** The Worker's bindings (wrangler.toml), its variables and its secrets (docs/configuration.md). */
export interface EdgeEnv extends Cloudflare.Env, VariablesAndSecrets {}
