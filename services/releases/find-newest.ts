/** Reads the newest version from a feed of releases (`FARMGATE_RELEASES`). Its answer is not trusted. */
import type { IncomingMessage } from 'node:http'
import { collected } from '../../lib/foreign/collected.ts'
import { singleRequest } from '../../lib/single-request.ts'
import { hostOf, RefusedAddress, type Resolve, receiverAddress } from '../webhooks/receiver-address.ts'

/** Bytes of the feed's answer, and how often it may redirect: GitHub does so twice. */
const limits = { bytes: 1024 ** 2, redirects: 5 } as const

interface FeedParts {
  /** `FARMGATE_RELEASES`; its own host may have a private address, those of redirects may not. */
  readonly feed: string
  readonly resolve: Resolve
  /** Ends the request and its answer. */
  readonly signal: AbortSignal
}

/** @returns the first `## <number>` of the newest `CHANGELOG.md` @throws {Error} saying why there is none */
export async function findNewest({ feed, resolve, signal }: FeedParts): Promise<string> {
  const first = new URL(`${feed}/latest/download/CHANGELOG.md`)
  const address = receiverAddress(resolve, [hostOf(first)])
  let url = first
  for (let redirects = 0; redirects <= limits.redirects; redirects++) {
    if (address.refuses(hostOf(url))) throw new RefusedAddress()
    const { request, answered } = singleRequest(url, {
      // GitHub refuses requests without it.
      headers: { 'User-Agent': 'farmgate', Connection: 'close' },
      lookup: address.lookup,
      signal,
    })
    request.end()
    const answer = await answered
    try {
      const next = redirectOf(answer, url)
      if (next === undefined) return versionIn(await textOf(answer))
      if (next.protocol !== 'https:' && next.protocol !== first.protocol)
        throw new Error(`redirects to ${next.protocol}`)
      url = next
    } finally {
      answer.destroy()
    }
  }
  throw new Error('redirects too often')
}

/** @throws {Error} for an answer that is neither a file nor a redirect */
function redirectOf({ statusCode = 0, headers }: IncomingMessage, from: URL): URL | undefined {
  if (statusCode === 200) return undefined
  const to = statusCode >= 300 && statusCode < 400 ? URL.parse(headers.location ?? '', from) : null
  if (to === null) throw new Error(`answered ${statusCode}`)
  return to
}

async function textOf(answer: IncomingMessage): Promise<string> {
  const read = collected(limits.bytes)
  for await (const piece of answer) if (!read.add(piece)) throw new Error('answered too much')
  return new TextDecoder().decode(read.whole())
}

function versionIn(changelog: string): string {
  const [, version] = /^## ([0-9][0-9A-Za-z.-]{0,63})(?![0-9A-Za-z.-])/m.exec(changelog) ?? []
  if (version === undefined) throw new Error('names no version')
  return version
}
