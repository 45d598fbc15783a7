/** The linked game passes the suite of all bridges as far as it reads; its own tests are about a lost link. */

import { createServer } from 'node:http'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import type { EdgeSocket } from '../../bridges/linked/edge-end/edge-connection.ts'
import { type LinkedGame, linkedGame } from '../../bridges/linked/edge-end/linked-game.ts'
import type { FarmLink } from '../../bridges/linked/farm-end/dial.ts'
import type { SimulatedFarm } from '../../bridges/simulated/simulated-farm.ts'
import { setTime } from '../../handlers/endpoints/set-time.ts'
import { apiKeyHolder, scopes } from '../../handlers/key-holder.ts'
import { readNames, sampleCall } from '../bridges/contract/abilities.ts'
import { failureOf, unknownOutcome } from '../bridges/contract/expectations.ts'
import { bridgeContract } from '../bridges/contract.ts'
import { steeredFarm } from '../bridges/simulated/steered-farm.ts'
import { listening } from '../listening.ts'
import { steered } from '../runtime/node/node-server.ts'
import { eventually } from '../wait.ts'
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

interface LinkedFarm {
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

async function linkedFarm(): Promise<LinkedFarm> {
  const farm = steeredFarm({ speed: 20 })
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
  const url = `http://127.0.0.1:${await listening(server)}`
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
/** The linked game of a farm whose writes are made at the farm. */
async function readOverLink() {
  const { bridge, farm, close } = await linkedFarm()
  const { controls, ...writes } = farm
  const closeBoth = async () => void (await Promise.all([bridge.close(), farm.close()]))
  return { bridge: { ...writes, ...bridge, close: closeBoth }, game: steered(farm), close }
}
bridgeContract(
  'linked game',
  readOverLink,
  [
    'connected',
    'received',
    'disconnected',
    'forward',
    'say',
    'hear',
    'watch',
    'isLinked',
    'askNumbers',
    'lastStatus',
    'upkeep',
    'forget',
  ],
  false,
)

const ends: Readonly<Record<string, (linked: LinkedFarm) => unknown>> = {
  'the link is cut': ({ cut }) => cut(),
  'another process takes the link over': ({ replace }) => replace(),
  'the farm stops': ({ link }) => link.close(),
  'the edge closes': ({ bridge }) => bridge.close(),
  'the edge forgets the farm': ({ bridge }) => bridge.forget(),
}

async function linked(): Promise<LinkedFarm> {
  const farm = await linkedFarm()
  onTestFinished(async () => {
    await farm.bridge.close()
    await farm.close()
  })
  await eventually(() => expect(farm.bridge.isLinked()).toBe(true))
  return farm
}

describe('pending calls', () => {
  test.each(Object.entries(ends))(
    'when %s: reads are unavailable, and the outcome of writes is unknown',
    async (_how, end) => {
      const both = await linked()
      const { bridge, farm } = both
      farm.controls.fallSilent()
      const calls = readNames.map((name) => [name, failureOf(sampleCall(bridge, name))] as const)
      const from = { requestId: 'of the test', address: '192.0.2.7' }
      const call = { search: 'value=1200', from, holder: apiKeyHolder(), takesDiscord: false }
      const writes = [
        failureOf(bridge.forward(setTime, { ...call, holder: { ...call.holder, scopes: [...scopes] } })),
        failureOf(bridge.say({ author: 'a', lines: ['b'], holder: apiKeyHolder(), address: '192.0.2.7' })),
      ]
      await eventually(() => expect(farm.controls.waiting).toHaveLength(calls.length + writes.length))
      await end(both)
      for (const [name, failure] of calls)
        expect([name, await failure]).toEqual([name, { kind: 'unavailable' }])
      for (const failure of writes) expect(await failure).toMatchObject(unknownOutcome)
    },
  )
})
