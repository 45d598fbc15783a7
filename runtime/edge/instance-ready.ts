import type { EdgeEnv } from './env.ts'

/**
 * Whether a path asks if this instance of the Worker serves, which is answered without a farm's object:
 * `/instance/ready` always, `/ready` where no farm is at the root.
 * @param path without the base path
 */
export function isInstanceReady(path: string, { API_KEY }: Pick<EdgeEnv, 'API_KEY'>): boolean {
  const bare = path.replace(/\/$/, '')
  return bare === '/instance/ready' || (bare === '/ready' && !API_KEY)
}
