import type { EdgeEndpoint } from '../../handlers/forwarded-endpoint.ts'
import type { AnonymousAllowance } from './rate-limit.ts'

/** The allowance that a request without a key uses. @param path as `requestPath` makes it; empty for an unknown one */
export type AllowanceOf = (method: string, path: string) => AnonymousAllowance

export function allowances(endpoints: readonly EdgeEndpoint[]): AllowanceOf {
  const probes: ReadonlySet<string> = new Set(
    endpoints.filter((one) => 'isProbe' in one && one.isProbe).map(({ path }) => path),
  )
  const publicAtFarm = endpoints.filter(({ at, access }) => at === 'farm' && access === 'public')
  const overLink: ReadonlyMap<string, AnonymousAllowance> = new Map(
    publicAtFarm.map(({ path, stream }) => [path, stream === undefined ? 'signIns' : 'downloads']),
  )
  return (method, path) => {
    if (method === 'OPTIONS') return 'preflights'
    const known = overLink.get(path)
    if (known !== undefined) return known
    if (method !== 'GET' && method !== 'HEAD') return 'anonymous'
    return path === '/ws' ? 'handshakes' : probes.has(path) ? 'probes' : 'anonymous'
  }
}
