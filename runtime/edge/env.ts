import type { variables } from './variables.ts'

type Texts = { readonly [Name in keyof typeof variables.schema.entries]?: string }

/** The Worker's bindings (wrangler.toml) and what an operator sets beside them: secrets and limits. */
export interface EdgeEnv extends Cloudflare.Env, Texts {}
