/** The edge, and the link that this farm has to it. */
import * as v from 'valibot'
import { ask } from './ask.ts'
import { answered, broken, type Check, type Checks, ok } from './check.ts'

const health = v.object({ status: v.string(), gameAvailable: v.boolean(), isFrozen: v.boolean() })

/**
 * @param linkKey of the link. A link is not opened, because it would replace the running one.
 * @param apiKey of the farm, which the edge may have too
 */
export async function edgeChecks(
  url: string,
  { linkKey, apiKey }: { readonly linkKey: string; readonly apiKey: string },
  signal: AbortSignal,
): Promise<Checks> {
  const { host } = new URL(url)
  const asked = await ask(`${url}/health`, { signal })
  if ('cause' in asked)
    return broken(
      'edge',
      `${host} does not answer: ${asked.cause}`,
      'Check EDGE_URL, and that the Worker is deployed.',
    )
  const read = v.safeParse(health, asked.body)
  if (!read.success)
    return broken(
      'edge',
      `${host} is not an edge of farmgate (HTTP ${asked.status})`,
      'Check EDGE_URL, with the path of the farm.',
    )
  const reached = answered('edge', `${host} answers after ${asked.milliseconds} ms`, asked.milliseconds)
  // Without an upgrade, the answer to a right key is that an upgrade is required, and to a wrong one that it is
  // wrong.
  const link = await ask(`${url}/link`, { key: linkKey, signal })
  if ('cause' in link || link.status !== 426)
    return [
      reached,
      broken(
        'link',
        'the edge does not accept EDGE_LINK_KEY',
        'Set it to the LINK_KEY of the Worker, or to the linkKey of this farm.',
      ),
    ]
  // The game of a linked farm may be frozen or have no farm loaded.
  if (read.output.status === 'ok' || read.output.isFrozen)
    return [reached, await linkLatency(url, apiKey, signal)]
  return [
    reached,
    broken(
      'link',
      'the key is right, but the edge does not reach the farm',
      'Start farmgate with EDGE_URL and EDGE_LINK_KEY, and look for the link in its log.',
    ),
  ]
}

/**
 * The edge itself keeps no history, so the farm answers this over the link. An edge with separate keys does not show
 * it.
 */
async function linkLatency(url: string, key: string, signal: AbortSignal): Promise<Check> {
  const asked = await ask(`${url}/history/days?limit=1`, { key, signal })
  if ('cause' in asked || asked.status !== 200) return ok('link', 'the farm is connected')
  const { milliseconds } = asked
  return answered('link', `the farm is connected, and answers over it after ${milliseconds} ms`, milliseconds)
}
