/** Chat clients of many farms at the instances of a cluster, which connect again whenever a connection ends. */

import { expect } from 'vitest'
import { WebSocket } from 'ws'
import { eventually } from '../../wait.ts'
import type { Cluster, ClusterFarm } from './cluster.ts'

/** The end of a connection, or of an attempt. */
interface Ending {
  /** Of its instance. */
  readonly at: number
  readonly wasOpen: boolean
  /** The close code and reason, the status of the answer, or the code of the error. */
  readonly how: string
}

interface Client {
  readonly farm: ClusterFarm
  /** With each connection it moves to the next instance. */
  connections: number
  ws: WebSocket | undefined
  isAccepted: boolean
  /** The `seq` of its last line. */
  last: number
  readonly lines: string[]
}

export interface Crowd {
  readonly endings: readonly Ending[]
  /** Waits until all clients are connected, and those of these farms have received these lines, each once and in order. */
  haveAll(farms: readonly ClusterFarm[], lines: readonly string[]): Promise<void>
  close(): void
}

/** @param each the clients of each farm */
export function crowdOf(
  { instances }: Pick<Cluster, 'instances'>,
  farms: readonly ClusterFarm[],
  each: number,
): Crowd {
  const endings: Ending[] = []
  let isClosed = false
  const clients = farms.flatMap((farm) =>
    Array.from(
      { length: each },
      (_, at): Client => ({ farm, connections: at, ws: undefined, isAccepted: false, last: 0, lines: [] }),
    ),
  )
  const connect = (client: Client) => {
    if (isClosed) return
    const { name, apiKey } = client.farm
    client.connections += 1
    const at = client.connections % instances.length
    const url = `${instances[at]?.url.replace('http', 'ws')}/farms/${name}/ws`
    const ws = new WebSocket(url, { perMessageDeflate: false })
    let how: string | undefined
    let wasOpen = false
    client.ws = ws
    ws.on('open', () => {
      wasOpen = true
      ws.send(JSON.stringify({ type: 'auth', payload: { token: apiKey, since: client.last } }))
    })
    ws.on('message', (data) => {
      const { type, payload } = JSON.parse(String(data))
      if (type === 'auth_success') client.isAccepted = true
      if (type !== 'chat') return
      client.last = payload.seq
      client.lines.push(payload.message)
    })
    ws.on('unexpected-response', (_request, { statusCode, headers }) => {
      how = `${statusCode}${headers['retry-after'] === undefined ? '' : ' with Retry-After'}`
      ws.terminate()
    })
    ws.on('error', (error: Error & { readonly code?: string }) => {
      how ??= error.code ?? error.message
    })
    ws.on('close', (code, reason) => {
      if (isClosed) return
      client.isAccepted = false
      endings.push({ at, wasOpen, how: how ?? `${code} ${reason}`.trim() })
      // All at once would be an attack.
      setTimeout(() => connect(client), Math.random() * 1000)
    })
  }
  for (const client of clients) setTimeout(() => connect(client), Math.random() * 1000)
  return {
    endings,
    haveAll: (of, lines) =>
      eventually(() => {
        expect(clients.filter(({ isAccepted }) => !isAccepted).length).toBe(0)
        for (const { farm, lines: own } of clients) if (of.includes(farm)) expect(own).toEqual(lines)
      }),
    close() {
      isClosed = true
      for (const { ws } of clients) ws?.terminate()
    },
  }
}
