/** An edge for one test. */
import { inject, onTestFinished } from 'vitest'
import { suiteKey } from '../contract/server-under-test.ts'
import { startEdge } from './edge.ts'
import { linkKey } from './edge-server.ts'

/** Of a caller with the key of the farm. */
export const headers = { Authorization: `Bearer ${suiteKey}` }

export async function anEdge() {
  const running = await startEdge(inject('edgeBundle'), {
    API_KEY: suiteKey,
    LINK_KEY: linkKey,
    RATE_LIMIT_READS: '0',
  })
  onTestFinished(() => running.stop())
  return { url: running.url, key: suiteKey, wsUrl: `${running.url.replace('http', 'ws')}/ws` }
}
