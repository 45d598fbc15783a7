import type { variables } from './variables.ts'

type VariablesAndSecrets = { readonly [Name in keyof typeof variables.schema.entries]?: string }

/** The Worker's bindings (wrangler.toml), its variables and its secrets (docs/configuration.md). */
export interface EdgeEnv extends Cloudflare.Env, VariablesAndSecrets {
  /**
   * Set on the operator's own machines only (`npm run edge:serve`): the minimum of milliseconds between two checks of a
   * link. A check costs nothing there, and an instance that ends takes its links with it.
   */
  readonly LINK_CHECK?: number
  /** Set there only: each answer names the owner of the right key that was sent (`keyOfHeader`), for the shell in front. */
  readonly NAMES_KEY_OWNERS?: boolean
}
