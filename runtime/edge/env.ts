/** The Worker's bindings (wrangler.toml) and what an operator sets beside them: secrets and limits. */
export interface EdgeEnv extends Cloudflare.Env {
  /** Key of the default farm's clients. */
  readonly API_KEY?: string
  /** Key of the default farm's own machine. */
  readonly LINK_KEY?: string
  /** Key of whoever creates and revokes farms. */
  readonly FLEET_KEY?: string
  readonly ALLOWED_ORIGINS?: string
  readonly PUBLIC_INVITE_CODES?: string
  readonly RATE_LIMIT_READS?: string
  readonly RATE_LIMIT_WRITES?: string
  readonly RATE_LIMIT_ANONYMOUS?: string
  readonly RATE_LIMIT_FAILED_KEYS?: string
  readonly WS_MAX_CLIENTS?: string
  readonly LOG_LEVEL?: string
}
