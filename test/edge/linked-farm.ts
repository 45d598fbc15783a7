/** A linked game and its farm in one Node process: both ends of the link, and a real socket between them. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'
import type { FarmLink } from '../../bridges/linked/dial.ts'
import type { EdgeSocket } from '../../bridges/linked/edge-connection.ts'
import { type LinkedGame, linkedGame } from '../../bridges/linked/linked-game.ts'
import { type SimulatedFarm, simulatedFarm } from '../../bridges/simulated/simulated-farm.ts'
import { systemClock } from '../../lib/clock.ts'
import { linkFarm } from './edge-server.ts'
import { memoryStore } from './memory-store.ts'

/** The edge's end on Node: the object's handling of its own sockets. */
const edgeSocket = (ws: WebSocket): EdgeSocket => ({
  send(text) {
    if (ws.readyState !== ws.OPEN) return false
    ws.send(text)
    return true
  },
  close: (code, reason) => ws.close(code, reason),
  lastSeen: () => Date.now(),
})

export interface LinkedFarm {
  /** The edge's end. */
  readonly bridge: LinkedGame
  readonly farm: SimulatedFarm
  readonly link: FarmLink
  /** Breaks the connection. */
  cut(): void
  /** Links a second process with the same key. */
  replace(): FarmLink
  close(): Promise<void>
}

export async function linkedFarm(): Promise<LinkedFarm> {
  const farm = simulatedFarm({
    seed: 'linked',
    speed: 20,
    clock: systemClock,
    version: '1.0.0',
    story: 'steered',
  })
  const bridge = linkedGame({ store: memoryStore(), isResumed: false, now: Date.now, firstCall: 1 })
  const server = createServer()
  const sockets = new WebSocketServer({ server, path: '/link' })
  let generation = 0
  sockets.on('connection', (ws) => {
    const socket = edgeSocket(ws)
    generation += 1
    bridge.connected(socket, { generation }, () => {})
    ws.on('message', (data) => bridge.received(socket, String(data)))
    ws.on('close', () => bridge.disconnected(socket))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  const links: FarmLink[] = []
  const dial = () => {
    const link = linkFarm(farm, url, 'a link key')
    links.push(link)
    return link
  }
  return {
    bridge,
    farm,
    link: dial(),
    cut() {
      for (const ws of sockets.clients) ws.terminate()
    },
    replace: dial,
    async close() {
      await Promise.all(links.map((link) => link.close()))
      await farm.close()
      sockets.close()
      server.close()
    },
  }
}
