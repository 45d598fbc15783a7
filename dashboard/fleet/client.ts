import { call } from '../../client/request.ts'

export interface FleetEntry {
  readonly farm: string
  readonly linked: boolean
  readonly trouble: readonly string[]
  readonly lastSeen?: string
  readonly players?: number
  readonly maxPlayers?: number
  readonly version?: string
  readonly farmgateVersion?: string
  readonly backupAgeHours?: number
  readonly tokenDays?: number
  readonly tags: readonly string[]
  readonly note?: string
}
export interface FarmOutcome {
  readonly farm: string
  readonly outcome: 'succeeded' | 'failed' | 'skipped'
  readonly detail?: string
}
interface FleetAction {
  readonly state: 'running' | 'ended'
  readonly outcomes: readonly FarmOutcome[]
}
export type FleetActionName = 'announce' | 'restart' | 'backup'

export function connectFleet({ url, key }: { url: string; key: string }) {
  const server = {
    url: url.replace(/\/+$/, ''),
    key,
    fetch: (...r: Parameters<typeof fetch>) => fetch(...r),
    timeout: 30_000,
    signal: undefined,
  }
  const ask = (method: 'GET' | 'POST' | 'PATCH', path: `/${string}`, parameters: object = {}, options = {}) =>
    call(server, { method, path, ...(method !== 'GET' && { hasBody: true as const }) }, parameters, options)
  return {
    farms: (_: object = {}, options: { signal?: AbortSignal } = {}) =>
      ask('GET', '/farms', {}, options) as Promise<{ farms: readonly FleetEntry[] }>,
    noteFarm: ({ farm, ...notes }: { farm: string; tags?: readonly string[]; note?: string }) =>
      ask('PATCH', `/farms/${farm}`, notes) as Promise<FleetEntry>,
    beginAction: (request: { action: FleetActionName; farms: readonly string[]; arguments?: object }) =>
      ask('POST', '/farms/actions', request) as Promise<{ id: string }>,
    action: ({ id }: { id: string }, options: { signal?: AbortSignal } = {}) =>
      ask('GET', '/farms/actions', { id }, options) as Promise<FleetAction>,
    dashboardLink: ({ farm }: { farm: string }) =>
      ask('POST', `/farms/${farm}/dashboard-link`) as Promise<{ url: string; expiresAt: string }>,
  }
}
export type Fleet = ReturnType<typeof connectFleet>
