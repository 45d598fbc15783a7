/** Every fault of the stand-in game server while 200 clients poll and 50 chat. */

import { createServer } from 'node:http'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FarmError } from '../../../handlers/farm-error.ts'
import type { Fault } from '../../game-server/faults.ts'
import type { GameServer } from '../../game-server/game-server.ts'
import { listening } from '../../listening.ts'
import { eventually, pause } from '../../wait.ts'
import { tenthOfBudgets, type UpstreamGame, upstreamGame } from '../upstream-game.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

const id = 2n ** 53n + 1n
const limits = { ...tenthOfBudgets, chatOpensWithin: 500, backOffTo: 200, pongWithin: 200 }

/** A fault, switched on and off. */
type Knob = (server: GameServer) => undefined | (() => unknown) | Promise<() => unknown>

const answers = (fault: Fault) => (server: GameServer) => {
  server.faults.set(fault)
  return () => server.faults.clear()
}
const other = { requests: 0, url: '' }

const knobs: Readonly<Record<string, Knob>> = {
  'slow within its budget': answers({ kind: 'slow', milliseconds: 80 }),
  'slow beyond its budget': answers({ kind: 'slow', milliseconds: 1000 }),
  'hangs in the middle of a body': answers({ kind: 'hangs' }),
  'never answers': answers({ kind: 'silent' }),
  'resets connections': answers({ kind: 'resets' }),
  'answers 500': answers({ kind: 'status', status: 500, body: '<h1>Oops</h1>' }),
  'answers 503 as a proxy without a game': answers({ kind: 'status', status: 503, body: '<h1>Down</h1>' }),
  'answers garbage': answers({ kind: 'garbage' }),
  'answers wrong types': answers({ kind: 'wrong types' }),
  'truncates answers': answers({ kind: 'truncated' }),
  'answers 200 MB': answers({ kind: 'enormous', bytes: 200 * 1024 * 1024, isChunked: true }),
  'announces 200 MB': answers({ kind: 'enormous', bytes: 200 * 1024 * 1024, isChunked: false }),
  'redirects to another server': (server) => answers({ kind: 'redirects', to: other.url })(server),
  'jumps an hour ahead': ({ world }) => {
    world.clockOffset += 3_600_000
    return undefined
  },
  'jumps a day back': ({ world }) => {
    world.clockOffset -= 86_400_000
    return undefined
  },
  'has its key rotated': ({ state }) => {
    const { key } = state
    state.key = 'another key'
    return () => {
      state.key = key
    }
  },
  restarts: async (server) => {
    await server.down()
    return () => server.up()
  },
  'is only starting': ({ state }) => {
    state.phase = 'starting'
    return () => {
      state.phase = undefined
    }
  },
  'turns its day': ({ world }) => {
    world.isTurning = true
    return () => {
      world.isTurning = false
    }
  },
  'stands still': ({ world }) => {
    world.isFrozen = true
    return () => {
      world.isFrozen = false
    }
  },
  'drops its chat': ({ chat }) => {
    const dropping = setInterval(() => chat.drop(), 50)
    return () => clearInterval(dropping)
  },
  'says garbage in its chat': ({ chat }) => {
    const frames = [
      '{',
      '7',
      '{"type":"chat"}',
      '{"type":"chat","payload":{"playerName":7}}',
      Buffer.alloc(9),
    ]
    const saying = setInterval(() => frames.forEach((frame) => void chat.sendRaw(frame)), 50)
    return () => clearInterval(saying)
  },
  'says a million characters in its chat': ({ chat }) => {
    const saying = setInterval(() => chat.sendRaw('x'.repeat(1_000_000)), 50)
    return () => clearInterval(saying)
  },
}

/** Repeats calls until stopped; each call ends in an answer or a `FarmError`. */
function keepCalling(count: number, every: number, call: (turn: number) => Promise<unknown>) {
  let isStopped = false
  let turns = 0
  const unforeseen: unknown[] = []
  const all = Array.from({ length: count }, async () => {
    while (!isStopped) {
      turns += 1
      await call(turns).catch((error) => error instanceof FarmError || unforeseen.push(error))
      await pause(every)
    }
  })
  return {
    /** @returns thrown values other than a `FarmError` */
    async stop() {
      isStopped = true
      await Promise.all(all)
      return unforeseen
    },
  }
}

describe('while 200 clients poll and 50 chat, a game that', () => {
  let game: UpstreamGame
  let round = 0
  const heap: number[] = []
  const stranger = createServer((_request, response) => {
    other.requests += 1
    response.end('{}')
  })

  beforeAll(async () => {
    other.url = `http://127.0.0.1:${await listening(stranger)}/`
    game = await upstreamGame({
      key: 'a key of the game',
      limits,
      gameThreadBudget: limits.budgetOf('setTime') + 20,
    })
    game.server.world.join('Abby', id)
    game.bridge.subscribe(() => {})
  })
  afterAll(async () => {
    await game.close()
    stranger.close()
    // No fault affects the tests after it.
    expect(Math.min(...heap.slice(-4))).toBeLessThan(Math.min(...heap.slice(0, 4)) + 24 * 1024 * 1024)
  })

  for (const [what, turn] of Object.entries(knobs))
    test(`${what} causes no crash, no stuck call, no wrong answer and no line sent twice`, async () => {
      const { bridge, server } = game
      const { world } = server
      round += 1
      const said: string[] = []
      const readers = [bridge.players, bridge.status, bridge.farmhands, bridge.cabins, bridge.settings]
      const polling = keepCalling(200, 20, async (at) => readers[at % readers.length]?.())
      const chatting = keepCalling(50, 50, async (at) => {
        const message = `round ${round} line ${at}`
        await bridge.sendChat({ author: 'Bot', message })
        said.push(`(Web) Bot: ${message}`)
      })
      const writing = keepCalling(2, 20, (at) => bridge.setRendering((round * 1000 + at) % 100_000))
      const turnBack = await turn(server)
      await pause(300)
      await turnBack?.()
      // Each ends when its calls have ended; a call that never ends would exceed the time limit of the test.
      for (const load of [polling, chatting, writing]) expect(await load.stop()).toEqual([])

      world.day = (round % 28) + 1
      world.publish()
      await eventually(async () => {
        expect(bridge.health()).toMatchObject({ gameAvailable: true, isFrozen: false })
        expect(await bridge.status()).toMatchObject({ isOnline: true, day: world.day, farmName: 'Junimo' })
        expect((await bridge.players()).players).toEqual([{ id, name: 'Abby', isOnline: true }])
        expect(await bridge.rendering()).toBe(world.fps)
        await bridge.sendChat({ author: 'Bot', message: `round ${round} is over` })
      })
      await eventually(() => expect(world.heard).toEqual(expect.arrayContaining(said)))
      expect(new Set(world.heard).size).toBe(
        world.heard.filter((line) => !line.endsWith('is over')).length +
          new Set(world.heard.filter((line) => line.endsWith('is over'))).size,
      )
      const rates = server.writesReceived.map(({ query }) => query)
      expect(new Set(rates).size).toBe(rates.length)
      expect(other.requests).toBe(0)
      expect(JSON.stringify(game.logged)).not.toContain('a key of the game')
      collectGarbage()
      heap.push(process.memoryUsage().heapUsed)
      // Memory of the test itself is not counted.
      world.heard.length = 0
      server.writesReceived.length = 0
    })
})
