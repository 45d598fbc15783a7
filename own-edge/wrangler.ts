/**
 * Runs wrangler, which builds the Worker, deploys it, and runs it on this machine for development:
 * `node own-edge/wrangler.ts <argument> …`. Everything about it that contacts its makers without a request is off.
 */
import Module from 'node:module'
import { join } from 'node:path'

export const wrangler = join(import.meta.dirname, '../node_modules/wrangler/bin/wrangler.js')

/**
 * No usage reports, error reports, look for a newer version, or question for the place of this machine. wrangler
 * reports before it has read `send_metrics` in wrangler.toml.
 */
export const silent = {
  WRANGLER_SEND_METRICS: 'false',
  WRANGLER_SEND_ERROR_REPORTS: 'false',
  WRANGLER_HIDE_BANNER: 'true',
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
}

if (import.meta.main) {
  Object.assign(process.env, silent)
  process.argv.splice(1, 1, wrangler)
  Module.runMain()
}
