import type { Caller } from '../http/caller.ts'

/** Headers that only the Worker may set for its objects; what a client sends under these names is dropped. */
export const internalHeaders = 'x-farmgate-'
/** The client's address, as the platform told it to the Worker. */
export const addressHeader = `${internalHeaders}address`

const perHeader = 4
const perRequestLine = 16

/** A request that the Worker forwarded. */
export function edgeCaller(request: Request): Caller {
  const { headers, url } = request
  let headBytes = perRequestLine + url.length
  for (const [name, value] of headers) headBytes += name.length + value.length + perHeader
  return {
    header: (name) => headers.get(name) ?? (name === 'host' ? new URL(url).host : undefined),
    address: headers.get(addressHeader) ?? '',
    headBytes,
    // Several headers of one name arrive joined.
    manyKeys: /,\s*bearer\s/i.test(headers.get('authorization') ?? ''),
  }
}
