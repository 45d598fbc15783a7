import { openConnections } from '../../../ticket/depot/cdn/connections.ts'
import { FetchError } from '../../../ticket/depot/cdn/fetch-error.ts'

/** One request in a separate process, which must end without help. */
export interface FetchOrder {
  readonly url: string
  readonly vhost: string
  readonly proxy?: string
  /** Closes during the request. */
  readonly hasty?: boolean
}

const { url, vhost, proxy, hasty }: FetchOrder = JSON.parse(process.argv[2] ?? '')
const connections = openConnections({ count: 2, proxy, idle: 100_000, now: () => performance.now() })
const request = {
  url,
  vhost,
  memory: (length = 0) => Buffer.alloc(length),
  tooSlow: () => false,
  signal: new AbortController().signal,
}
const got = connections.fetch(request).then(
  (body) => body.toString('base64'),
  (error: unknown) => (error instanceof FetchError ? error.kind : String(error)),
)
if (hasty === true) setTimeout(() => connections.close(), 50)
process.stdout.write(await got)
connections.close()
