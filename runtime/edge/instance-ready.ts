import { internalHeaders } from './caller.ts'

/** Of the answer of an instance that no other one accepts. */
export const notAcceptedHeader = `${internalHeaders}not-accepted`

/**
 * Whether a path asks if this instance of the Worker serves, which is answered without a farm's object:
 * `/instance/ready` always, `/ready` where no farm is at the root.
 * @param path without the base path
 */
export function isInstanceReady(
  path: string,
  { API_KEY }: { readonly API_KEY?: string | undefined },
): boolean {
  const bare = path.replace(/\/$/, '')
  return bare === '/instance/ready' || (bare === '/ready' && !API_KEY)
}
