/** What a shutdown does to connections and pending requests (docs/security.md). */

import { createServer } from 'node:http'
import { connect } from 'node:net'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { closeTogether, stopOnSignals } from '../../../runtime/node/shutdown.ts'
import { steeredFarm } from '../../bridges/simulated/steered-farm.ts'
import { openAuthenticated, openChat } from '../../contract/chat-client.ts'
import { askWithKey } from '../../contract/request.ts'
import { portOf } from '../../port-of.ts'

import { eventually, pause } from '../../wait.ts'
import { serving } from './farmgate-process.ts'
import { nodeServer } from './node-server.ts'
import { openedFarm } from './open-farm.ts'

const key = 'shutdown-shutdown-shutdown'

/** A game that accepts every call and answers none. @returns its address, and a promise of its first write */
async function silentGame() {
  const asked = Promise.withResolvers<void>()
  const game = createServer(({ method }) => {
    if (method === 'POST') asked.resolve()
  })
  return { url: `http://127.0.0.1:${await portOf(game)}`, asked: asked.promise }
}

describe('SIGTERM', () => {
  test('a write that was sent and has no answer at the end of the shutdown time is 504, outcome unknown; exit 0', async () => {
    const game = await silentGame()
    const farmgate = await serving({ API_KEY: key, GAME_API_URL: game.url })
    const write = askWithKey({ url: farmgate.url, key }, 'POST', '/rendering?fps=1')
    await game.asked
    farmgate.signal('SIGTERM')
    const { status, json } = await write
    expect([status, json]).toEqual([
      504,
      {
        success: false,
        code: 'game_timeout',
        error: expect.stringMatching(/whether the change was made is unknown/),
      },
    ])
    expect(await farmgate.exited).toEqual({ code: 0, signal: null })
  })

  test('a part that never closes and one that throws are reported by name, and the parts after them are closed', async () => {
    const failed = vi.fn()
    const never = () => new Promise(() => undefined)
    const broken = () => {
      throw new Error('no such part')
    }
    await closeTogether({ never, broken, well: async () => undefined }, 1, failed)
    expect(failed.mock.calls.toSorted()).toEqual([
      ['broken', 'no such part'],
      ['never', 'it was not closed within 1 ms'],
    ])
  })

  test('the process ends although a task does not', async () => {
    const exit = vi.fn()
    let terminate = () => {}
    stopOnSignals({
      stop: () => new Promise(() => undefined),
      exit,
      monotonic: () => 0,
      on: (signal, listener) => {
        if (signal === 'SIGTERM') terminate = listener
      },
      endsWithin: 1,
    })
    terminate()
    await vi.waitFor(() => expect(exit.mock.calls).toEqual([[1]]))
  })
})

describe('shutdown', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)(
    '%s drains: sockets get 1001, exit 0 within 5 s',
    async (signal) => {
      const farmgate = await serving({ API_KEY: key })
      const client = await openAuthenticated({ wsUrl: farmgate.wsUrl, key })
      const waiting = await openChat(farmgate)
      const idle = connect(Number(new URL(farmgate.url).port), '127.0.0.1')
      idle.on('error', () => undefined).write('GET /health HTTP/1.1\r\nHost: x\r\n\r\n')
      await new Promise((resolve) => idle.once('data', resolve))
      const began = performance.now()
      farmgate.signal(signal)
      expect((await client.closed).code).toBe(1001)
      expect((await waiting.closed).code).toBe(1001)
      expect(await farmgate.exited).toEqual({ code: 0, signal: null })
      expect(performance.now() - began).toBeLessThan(5_000)
    },
  )

  test('peers that do not answer and a request that never ends delay it by less than 5 s', async () => {
    const farmgate = await serving({ API_KEY: key })
    const client = await openAuthenticated({ wsUrl: farmgate.wsUrl, key })
    client.ws.pause()
    const slow = connect(Number(new URL(farmgate.url).port), '127.0.0.1')
    slow.on('error', () => undefined).write('GET /health HTTP/1.1\r\nHost: x\r\n')
    await new Promise((resolve) => slow.once('connect', resolve))
    const began = performance.now()
    farmgate.signal('SIGTERM')
    expect(await farmgate.exited).toEqual({ code: 0, signal: null })
    expect(performance.now() - began).toBeLessThan(5_000)
  })

  test('SIGINT and SIGTERM at once count as one signal, and a Ctrl-C a second later forces the end', async () => {
    const farmgate = await serving({ API_KEY: key })
    const client = await openAuthenticated({ wsUrl: farmgate.wsUrl, key })
    client.ws.pause()
    for (const name of ['SIGINT', 'SIGINT', 'SIGTERM'] as const) farmgate.signal(name)
    await farmgate.said(/"stopping"/)
    await pause(1_200)
    expect(farmgate.child.exitCode).toBeNull()
    farmgate.signal('SIGINT')
    expect((await farmgate.exited).code).toBe(130)
  })

  test('a long poll in flight is answered 408', async () => {
    const game = steeredFarm()
    const players = vi.spyOn(game, 'players')
    const node = await nodeServer({ server: { game } })
    onTestFinished(async () => {
      await game.close()
      await node.bridge.close()
    })
    const polls = Array.from({ length: 12 }, () => askWithKey(node, 'GET', '/wait/players?playerId=1'))
    await eventually(() => expect(players.mock.calls.length).toBeGreaterThanOrEqual(polls.length))
    await node.shutDown(60_000)
    for (const { status, text } of await Promise.all(polls)) expect([status, text]).toEqual([408, ''])
  })

  test('requests in flight finish', async () => {
    const node = await nodeServer()
    onTestFinished(() => node.bridge.close())
    await node.farm.freeze()
    const inFlight = askWithKey(node, 'POST', '/time?value=900')
    await eventually(() => expect(node.bridge.health().pendingActions).toBe(1))
    const stopped = node.shutDown(60_000)
    await expect(fetch(`${node.url}/health`)).rejects.toThrow()
    await node.farm.thaw()
    expect((await inFlight).status).toBe(200)
    await stopped
  })
})

test('a stop without time for the last answers asks for no negative wait', async () => {
  const farm = await openedFarm({ API_KEY: key })
  const waits = vi.spyOn(globalThis, 'setTimeout')
  onTestFinished(() => waits.mockRestore())
  await farm.stop()
  expect(waits.mock.calls.filter(([, wait = 0]) => wait < 0)).toEqual([])
})
