/** The linked game keeps the contract of every bridge: both ends of the link, and a real socket between them. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'
import { type EdgeSocket, type LinkedStore, linkedGame } from '../../runtime/bridges/linked/linked-game.ts'
import { systemClock } from '../../runtime/bridges/simulated/clock.ts'
import { simulatedFarm } from '../../runtime/bridges/simulated/simulated-farm.ts'
import { openLink } from '../../runtime/link/origin.ts'
import { bridgeContract } from '../runtime/bridges/contract.ts'
import { silent } from '../silent-log.ts'

function memoryStore(): LinkedStore {
  const heard = new Map<string, number>()
  let told: ReturnType<LinkedStore['told']> = { at: 0, healthAt: 0 }
  return {
    told: () => told,
    keepStatus(status, at) {
      told = { ...told, status, at }
    },
    keepHealth(health, at) {
      told = { ...told, health, at, healthAt: at }
    },
    flush() {},
    heard: (run) => heard.get(run) ?? 0,
    keepHeard: (run, n) => void heard.set(run, n),
  }
}

/** The edge's end on Node: what the object does with its own sockets. */
const edgeSocket = (ws: WebSocket): EdgeSocket => ({
  send(text) {
    if (ws.readyState !== ws.OPEN) return false
    ws.send(text)
    return true
  },
  close: (code, reason) => ws.close(code, reason),
  lastSeen: () => Date.now(),
})

bridgeContract('linked game', async () => {
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
  const link = openLink({
    url: `http://127.0.0.1:${port}`,
    key: 'a link key',
    game: farm,
    log: silent,
    run: crypto.randomUUID(),
    monotonic: () => performance.now(),
    random: Math.random,
    wait: { least: 20, most: 100 },
  })
  const { controls } = farm
  return {
    bridge,
    game: {
      ...controls,
      join: (player: { id: bigint; name: string }) => void controls.join(player),
      leave: (id: bigint) => void controls.leave(id),
      say: (id: bigint, message: string) => void controls.say(id, message),
      relayed: () => controls.chatRelayed,
      writes: () => controls.writes,
      unanswered: () => controls.waiting,
    },
    async close() {
      await link.close()
      await farm.close()
      sockets.close()
      server.close()
    },
  }
}, ['connected', 'received', 'disconnected', 'hear', 'watch', 'isLinked', 'forget'])
