/** `@farmgate/client/fleet`: the farms of an edge, with its FLEET_KEY. */
import type { Call, CallOptions, CallWithout, Route } from './call.ts'
import { fleetTroubles } from './choices.ts'
import type { ConnectOptions } from './connect.ts'
import { call } from './request.ts'
import type { FleetAction, FleetActionRequest, FleetActionSummary, FleetEntry } from './types.ts'

/** The farms of an edge. @throws {FarmgateError} each call, with the `code` of the answer */
export interface Fleet {
  /** All farms, by name, with what is wrong at each. */
  farms: CallWithout<{ farms: FleetEntry[] }>
  /** Creates a farm; this answer is the only one that shows its keys. An existing farm is unchanged: `created` is false. */
  createFarm: Call<{ farm: string }, { farm: string; created?: false; apiKey?: string; linkKey?: string }>
  /** Deletes a farm with everything that the edge stores of it, and closes its sockets. */
  deleteFarm: Call<{ farm: string }, { success: true }>
  /** Sets tags and note of a farm; an absent member is kept, and an empty note removes the note. */
  noteFarm: Call<
    { farm: string; tags?: readonly string[] | undefined; note?: string | undefined },
    FleetEntry
  >
  /** Begins an action at many farms. */
  beginAction: Call<FleetActionRequest, { id: string }>
  /** Whether an action has ended, and its outcome at each farm that is done. */
  action: Call<{ id: string }, FleetAction>
  /** The actions of the last week, newest first. */
  actions: CallWithout<{ actions: FleetActionSummary[] }>
  /** Makes a link that opens a farm's dashboard, with a key for one hour. */
  dashboardLink: Call<{ farm: string }, { url: string; expiresAt: string }>
}

/**
 * The fleet of an edge; nothing is sent until a call.
 * @param options `url` is the root of the edge, `key` its FLEET_KEY
 * @example const { farms } = await connectFleet({ url: 'https://edge.example', key }).farms()
 */
export function connectFleet({
  url,
  key = '',
  timeout = 30_000,
  signal,
  fetch = (...request) => globalThis.fetch(...request),
}: { url: string } & Pick<ConnectOptions, 'key' | 'timeout' | 'signal' | 'fetch'>): Fleet {
  const server = { url: url.replace(/\/+$/, ''), key, fetch, timeout, signal }
  const ask = <Answer>(
    method: Route['method'],
    path: Route['path'],
    sent: object,
    options: CallOptions | undefined,
  ) =>
    call(
      server,
      { method, path, type: method === 'GET' ? undefined : 'application/json' },
      sent,
      options,
    ) as Promise<Answer>
  const at = (farm: string) => `/farms/${encodeURIComponent(farm)}` as const
  return {
    farms: (_none, options) => ask('GET', '/farms', {}, options),
    createFarm: ({ farm }, options) => ask('PUT', at(farm), {}, options),
    deleteFarm: ({ farm }, options) => ask('DELETE', at(farm), {}, options),
    noteFarm: ({ farm, ...notes }, options) => ask('PATCH', at(farm), notes, options),
    beginAction: (request, options) => ask('POST', '/farms/actions', request, options),
    actions: (_none, options) => ask('GET', '/farms/actions', {}, options),
    action: ({ id }, options) => ask('GET', '/farms/actions', { id }, options),
    dashboardLink: ({ farm }, options) => ask('POST', `${at(farm)}/dashboard-link`, {}, options),
  }
}

/** A code of a later edge comes after all known ones, and a farm without trouble last. */
const rankOf = ({ trouble: [worst] }: FleetEntry): number => {
  if (worst === undefined) return Number.POSITIVE_INFINITY
  const rank = fleetTroubles.indexOf(worst)
  return rank < 0 ? fleetTroubles.length : rank
}

/** Farms with the worst trouble first; of equal ones the order stays. */
export const byTrouble = (farms: readonly FleetEntry[]): FleetEntry[] =>
  farms.toSorted((one, other) => {
    const [mine, others] = [rankOf(one), rankOf(other)]
    return mine === others ? 0 : mine - others
  })
