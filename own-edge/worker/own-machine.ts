/**
 * The Worker on the operator's own machines (`npm run edge:serve`). This module is in front of the one that Cloudflare
 * runs, and adds what only Cloudflare's network has: the address of a client, and limits that count.
 */
import { WorkerEntrypoint } from 'cloudflare:workers'
import { callerOf, clientAddress, ipAddress } from '../../lib/caller-address.ts'
import { RateLimit as Rate } from '../../lib/rate-limit.ts'
import { withTimeLimit } from '../../lib/time-limit.ts'
import { configOf } from '../../runtime/edge/config.ts'
import type { EdgeEnv } from '../../runtime/edge/env.ts'
import { isInstanceReady } from '../../runtime/edge/instance-ready.ts'
import worker, { FarmObject as CloudFarmObject } from '../../runtime/edge/worker.ts'
import { pathOf, withoutBase } from '../../runtime/http/target.ts'
import { closeRestarting, EnteredSockets } from './entered-sockets.ts'

export { FleetObject } from '../../runtime/edge/worker.ts'

/** As in wrangler.toml. @property period seconds */
interface Limit {
  readonly limit: number
  readonly period: number
}

interface OwnEnv extends Omit<EdgeEnv, 'ADDRESS_LIMIT' | 'FLEET_KEY_LIMIT' | 'FARM'> {
  readonly FARM: DurableObjectNamespace<FarmObject>
  readonly ADDRESS_LIMIT: Limit
  readonly FLEET_KEY_LIMIT: Limit
  /** The number of trusted proxies. */
  readonly PROXIES: number
  /** The port of this instance that the other ones use; only in a cluster. */
  readonly INSTANCE?: Fetcher
}

/** Milliseconds for the answer of this instance itself. */
const instanceWithin = 2000

/** Milliseconds in which peers can answer the close of their sockets. */
const closesWithin = 500

/** Those of an instance of a cluster. A single one has all objects here, so these close their sockets themselves. */
const sockets = new EnteredSockets()
/** The ids of the objects here that have accepted a socket. */
const accepting = new Set<string>()
let own: { readonly env: EdgeEnv; readonly basePath: string } | undefined

export default {
  async fetch(request, env) {
    own ??= {
      env: {
        ...env,
        ADDRESS_LIMIT: counting(env.ADDRESS_LIMIT),
        FLEET_KEY_LIMIT: counting(env.FLEET_KEY_LIMIT),
      },
      basePath: configOf(env).basePath,
    }
    const headers = new Headers(request.headers)
    const peer = ipAddress(String(request.cf?.['clientIp'])) ?? ''
    const forwarded = headers.get('x-forwarded-for') ?? undefined
    // A client can send any.
    headers.set('cf-connecting-ip', clientAddress(peer, env.PROXIES, forwarded))
    const url = new URL(request.url)
    if (env.PROXIES > 0 && headers.get('x-forwarded-proto')?.split(',').at(-1)?.trim() === 'https')
      url.protocol = 'https:'
    const asked = new Request(new Request(url, request), { headers })
    // Asks no object: the instance that asks first owns it.
    if (isInstanceReady(withoutBase(pathOf(asked.url), own.basePath), own.env))
      return (await isServing(env)) ? worker.fetch(asked, own.env) : unavailable()
    return sockets.isStopping && headers.get('upgrade') !== null
      ? unavailable()
      : pass(await worker.fetch(asked, own.env), env)
  },
} satisfies ExportedHandler<OwnEnv>

export class FarmObject extends CloudFarmObject {
  override async fetch(request: Request): Promise<Response> {
    const answer = await super.fetch(request)
    if (answer.webSocket !== null) accepting.add(this.ctx.id.toString())
    return answer
  }

  /** Closes all its sockets with 1012. @returns when their peers have answered, or could have */
  async stopping(): Promise<void> {
    for (const socket of this.ctx.getWebSockets()) closeRestarting(socket)
    await untilClosed(() => this.ctx.getWebSockets().length)
  }
}

/**
 * What `edge:serve` calls before it stops this instance, at a socket that only its own user can open. It asks no object
 * of another instance.
 * @returns when the peers of all sockets here have answered their close, or could have
 */
export class Control extends WorkerEntrypoint<OwnEnv> {
  override async fetch(): Promise<Response> {
    const { FARM, INSTANCE } = this.env
    sockets.stop()
    const objects = INSTANCE === undefined ? [...accepting] : []
    const stopping = objects.map((id) => FARM.get(FARM.idFromString(id)).stopping())
    await Promise.all([
      untilClosed(() => sockets.size),
      Promise.race([Promise.allSettled(stopping), scheduler.wait(closesWithin)]),
    ])
    return new Response(null, { status: 204 })
  }
}

/** @param open how many sockets there are */
async function untilClosed(open: () => number): Promise<void> {
  for (let waited = 0; open() > 0 && waited < closesWithin; waited += 20) await scheduler.wait(20)
}

/** The sockets of an instance of a cluster are passed on here. */
const pass = (answer: Response, { INSTANCE }: OwnEnv): Response =>
  INSTANCE === undefined ? answer : sockets.pass(answer)

const unavailable = () => new Response(null, { status: 503, headers: { 'Retry-After': '5' } })

/** Whether this instance has its place in the cluster and is not stopping. */
async function isServing({ INSTANCE }: OwnEnv): Promise<boolean> {
  if (sockets.isStopping) return false
  if (INSTANCE === undefined) return true
  const late = () => new Error('late')
  const asked = withTimeLimit(instanceWithin, INSTANCE.fetch('http://instance/ready'), late)
  return asked.then(
    ({ ok }) => ok,
    () => false,
  )
}

/** Counts in this process, as the binding of Cloudflare counts in one location. */
function counting({ limit, period }: Limit): RateLimit {
  const rate = new Rate((limit * 60) / period, Date.now)
  return { limit: async ({ key }) => ({ success: rate.take(callerOf(key)) === 0 }) }
}
