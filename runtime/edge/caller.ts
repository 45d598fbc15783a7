import { headBytes } from '../../lib/request-size.ts'
import type { Caller } from '../http/caller.ts'

/** Headers that only the Worker may set for its objects; it drops those of a client. */
export const internalHeaders = 'x-farmgate-'
/** The client's address, as the platform reported it to the Worker. */
export const addressHeader = `${internalHeaders}address`

/** `https` where a trusted proxy in front of an own edge has seen it. */
export const schemeHeader = `${internalHeaders}scheme`

/** What the Worker removed from the path: the base path, and the farm's own. */
export const prefixHeader = `${internalHeaders}prefix`

/**
 * The scope of a request that was made with the fleet key, which the farm's object does not know: of a reading of its
 * metrics, or of a call by the fleet object.
 */
export const fleetKeyHeader = `${internalHeaders}fleet-key`

/** When a call by the fleet object was asked for, milliseconds since 1970: one that comes late is refused. */
export const askedAtHeader = `${internalHeaders}asked-at`

/**
 * Of a request to a farm's object: its answer has this header too when a right key was sent, with whose key it is. Only
 * for the shell of an own edge, which removes it.
 */
export const keyOfHeader = `${internalHeaders}key-of`

/**
 * The caller of a request that the Worker forwarded to a farm's object.
 * @param heard gets the calls of the caller
 */
export function edgeCaller(request: Request, heard: Pick<Caller, 'hasKey'> = {}): Caller {
  const { headers, url } = request
  return {
    header: (name) => headers.get(name) ?? (name === 'host' ? new URL(url).host : undefined),
    address: headers.get(addressHeader) ?? '',
    origin: new URL(url).origin,
    prefix: headers.get(prefixHeader) ?? undefined,
    headBytes: headBytes(url, headers),
    // Several headers of one name arrive joined by commas.
    manyKeys: /,\s*bearer\s/i.test(headers.get('authorization') ?? ''),
    ...heard,
  }
}
