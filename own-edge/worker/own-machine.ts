/**
 * The Worker on the operator's own machines (`npm run edge:serve`). This module is in front of the one that Cloudflare
 * runs, and adds what only Cloudflare's network has: limits that count, and what the shell in front needs to know.
 */
import { callerOf } from '../../lib/caller-address.ts'
import { RateLimit as Rate } from '../../lib/rate-limit.ts'
import { schemeHeader } from '../../runtime/edge/caller.ts'
import { configOf } from '../../runtime/edge/config.ts'
import type { EdgeEnv } from '../../runtime/edge/env.ts'
import { isInstanceReady } from '../../runtime/edge/instance-ready.ts'
import worker from '../../runtime/edge/worker.ts'
import { pathOf, withoutBase } from '../../runtime/http/target.ts'
import { acceptance } from './acceptance.ts'

export { FarmObject, FleetObject } from '../../runtime/edge/worker.ts'

/** As in wrangler.toml. @property period seconds */
interface Limit {
  readonly limit: number
  readonly period: number
}

interface OwnEnv extends Omit<EdgeEnv, 'ADDRESS_LIMIT' | 'FLEET_KEY_LIMIT'> {
  readonly ADDRESS_LIMIT: Limit
  readonly FLEET_KEY_LIMIT: Limit
  /** The port of this instance that the other ones use; only in a cluster. */
  readonly INSTANCE?: Fetcher
}

const notServing = acceptance(Date.now)

let own: { readonly env: EdgeEnv; readonly basePath: string } | undefined

export default {
  async fetch(request, env) {
    own ??= {
      env: {
        ...env,
        ADDRESS_LIMIT: counting(env.ADDRESS_LIMIT),
        FLEET_KEY_LIMIT: counting(env.FLEET_KEY_LIMIT),
        NAMES_KEY_OWNERS: true,
      },
      basePath: configOf(env).basePath,
    }
    const url = new URL(request.url)
    // The shell in front sets it, as the address of the client.
    if (request.headers.get(schemeHeader) === 'https') url.protocol = 'https:'
    const asked = new Request(url, request)
    // Asks no object: the instance that asks first owns it.
    if (isInstanceReady(withoutBase(pathOf(asked.url), own.basePath), own.env))
      return (await notAccepted(env)) ?? worker.fetch(asked, own.env)
    return worker.fetch(asked, own.env)
  },
} satisfies ExportedHandler<OwnEnv>

const notAccepted = ({ INSTANCE, FLEET }: OwnEnv) =>
  INSTANCE === undefined
    ? undefined
    : notServing({
        isIn: async () => (await INSTANCE.fetch('http://instance/ready')).ok,
        reach: async () => FLEET.getByName('instances').entry(''),
      })

/** Counts in this process, as the binding of Cloudflare counts in one location. */
function counting({ limit, period }: Limit): RateLimit {
  const rate = new Rate((limit * 60) / period, Date.now)
  return { limit: async ({ key }) => ({ success: rate.take(callerOf(key)) === 0 }) }
}
