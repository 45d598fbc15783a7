import { endpoints } from '../../handlers/endpoints/all-endpoints.ts'
import type { AnonymousAllowance } from './rate-limit.ts'

const probes: ReadonlySet<string> = new Set(
  endpoints.filter(({ isProbe }) => isProbe).map(({ path }) => path),
)

/** The public calls that only the farm can answer. */
const signIns: ReadonlySet<string> = new Set(
  endpoints.filter(({ at, access }) => at === 'farm' && access === 'public').map(({ path }) => path),
)

/** The allowance that a request without a key uses. @param path as `requestPath` makes it */
export function allowanceOf(method: string, path: string): AnonymousAllowance {
  if (method === 'OPTIONS') return 'preflights'
  if (signIns.has(path)) return 'signIns'
  if (method !== 'GET' && method !== 'HEAD') return 'anonymous'
  return path === '/ws' ? 'handshakes' : probes.has(path) ? 'probes' : 'anonymous'
}
