/** Many clients over real sockets while the game server has a fault. */
import { describe, expect, test } from 'vitest'
import type { Fault } from '../../game-server/faults.ts'
import type { GameServer } from '../../game-server/game-server.ts'
import { eventually, pause } from '../../wait.ts'
import { chatter, id, limits, started } from './asked-pair.ts'

const answers = (fault: Fault) => (server: GameServer) => {
  server.faults.set(fault)
  return () => server.faults.clear()
}

const knobs: Readonly<Record<string, (server: GameServer) => unknown>> = {
  'hangs in the middle of a body': answers({ kind: 'hangs' }),
  'resets connections': answers({ kind: 'resets' }),
  'answers 200 MB': answers({ kind: 'enormous', bytes: 200 * 1024 * 1024, isChunked: true }),
  'answers wrong types': answers({ kind: 'wrong types' }),
  restarts: async (server) => {
    await server.down()
    return () => server.up()
  },
  'turns its day': ({ world }) => {
    world.isTurning = true
    return () => {
      world.isTurning = false
    }
  },
}

describe('while 200 clients of farmgate poll and 50 chat, a game that', () => {
  for (const [what, turn] of Object.entries(knobs))
    test(`${what} leaves every request answered from the closed set, and every line said at most once`, async () => {
      // The last status is answered for as long as the game is not called away: here longer than any fault lasts.
      const { server, gate, ask } = await started({
        limits: { ...limits, awayAfter: 3_600_000, brokenAfter: 3_600_000 },
      })
      const { world } = server
      world.join('Abby', id)
      const chatters = await Promise.all(Array.from({ length: 50 }, () => chatter(gate.url)))
      const turnBack = (await turn(server)) as () => unknown
      const statuses = new Map<string, number>()
      const paths = ['/players', '/status', '/farmhands', '/cabins', '/health']
      let lines = 0
      const polling = Array.from({ length: 200 }, async (_, client) => {
        for (let time = 0; time < 4; time += 1) {
          const path = paths[(client + time) % paths.length] ?? '/players'
          const { status } = await ask(path)
          statuses.set(`${path} ${status}`, (statuses.get(`${path} ${status}`) ?? 0) + 1)
          await pause(50)
        }
      })
      for (const [at, one] of chatters.entries()) one.say(`line ${at}`)
      await Promise.all(polling)
      expect([...statuses.keys()].filter((one) => !/ (200|502|503|504)$/.test(one))).toEqual([])
      const open = [...statuses.keys()].filter((one) => /^\/(status|health) /.test(one))
      expect(new Set(open)).toEqual(new Set(['/health 200', '/status 200']))
      await turnBack()
      await eventually(async () => {
        expect((await ask('/players')).body).toMatchObject({ players: [{ id, name: 'Abby' }] })
        expect((await ask('/status')).body).toMatchObject({ isOnline: true, playerCount: 1 })
        expect((await ask('/ready')).status).toBe(200)
      })
      // Its chat is back too: a line of a client whose earlier ones are settled arrives.
      const again = await chatter(gate.url)
      await eventually(async () => {
        lines += 1
        again.say(`again ${lines}`)
        await pause(50)
        expect(world.heard.some((line) => line.includes('again'))).toBe(true)
      })
      expect(new Set(world.heard).size).toBe(world.heard.length)
      world.say('Abby', 'still here')
      for (const { heard } of [...chatters, again])
        await eventually(() =>
          expect(
            heard.filter(({ payload }) => (payload as { message?: string })?.message === 'still here'),
          ).toHaveLength(1),
        )
    })
})
