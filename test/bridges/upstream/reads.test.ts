/** Reads of the upstream bridge: their number of requests, and what is kept of the answers. */
import { describe, expect, test } from 'vitest'
import * as answers from '../../../bridges/upstream/answers.ts'
import { stringifyRecord } from '../../../lib/json.ts'
import { eventually, pause } from '../../wait.ts'
import { reachedGame, still } from '../own-game.ts'

test('the text of an id is made from the id: texts that the game sends are not passed on', () => {
  const text = '{"players":[{"id":9007199254740993,"idText":"1","name":"Abby","isOnline":true}],"version":1}'
  expect(stringifyRecord(answers.readAnswer(answers.players, text))).toBe(
    text.replace('"1"', '"9007199254740993"'),
  )
})

describe('the upstream bridge reads', () => {
  test('with one request for a hundred callers', async () => {
    const { bridge, server } = await reachedGame({ limits: still })
    const answers = await Promise.all(Array.from({ length: 100 }, () => bridge.players()))
    expect(new Set(answers).size).toBe(1)
    expect(server.count('GET /players')).toBe(1)
  })

  test('again only when the last answer is a second old', async () => {
    const { bridge, server, limits } = await reachedGame({ limits: { ...still, keepFor: 150 } })
    const until = performance.now() + 1000
    while (performance.now() < until) {
      await bridge.players()
      await pause(5)
    }
    expect(server.count('GET /players')).toBeGreaterThan(1)
    expect(server.count('GET /players')).toBeLessThanOrEqual(Math.ceil(1000 / limits.keepFor) + 1)
  })

  test('and returns the same object while the game answers the same, with or without a new request', async () => {
    const { bridge, server } = await reachedGame({
      limits: { ...still, keepFor: 0 },
      snapshotEvery: 3_600_000,
    })
    const first = await bridge.players()
    expect(await bridge.players()).toBe(first)
    expect(server.count('GET /players')).toBe(2)
    server.world.join('Abby', 1n)
    expect(await bridge.players()).not.toBe(first)
  })

  test('again after a write that can change the answer, even while an earlier read is under way', async () => {
    const { bridge, server } = await reachedGame({ limits: { ...still, keepFor: 3_600_000 } })
    await bridge.rendering()
    server.faults.set({ kind: 'slow', milliseconds: 200 }, 'GET /rendering')
    await bridge.setRendering(20)
    const early = bridge.rendering()
    await eventually(() => expect(server.count('GET /rendering')).toBe(2))
    server.faults.clear()
    await bridge.setRendering(30)
    expect(await bridge.rendering()).toBe(30)
    expect(await early).toBe(20)
    expect(await bridge.rendering()).toBe(30)
  })

  test('a new screenshot after the rendering rate was changed', async () => {
    const { bridge, server } = await reachedGame({ limits: { ...still, keepFor: 3_600_000 } })
    await bridge.screenshot()
    await bridge.screenshot()
    expect(server.count('GET /screenshot')).toBe(1)
    await bridge.setRendering(20)
    await bridge.screenshot()
    expect(server.count('GET /screenshot')).toBe(2)
  })

  test('only health and status without listeners; with listeners the players too', async () => {
    const { bridge, server } = await reachedGame()
    await eventually(() => expect(server.count('GET /status')).toBeGreaterThan(5))
    expect([...server.counts.keys()].sort()).toEqual(['GET /health', 'GET /status'])
    bridge.subscribe(() => {})
    await eventually(() =>
      expect([...server.counts.keys()].sort()).toEqual([
        'GET /cabins',
        'GET /health',
        'GET /players',
        'GET /rendering',
        'GET /status',
      ]),
    )
  })

  test('and sends a new listener no event from before it listened', async () => {
    const { bridge, server } = await reachedGame()
    expect((await bridge.players()).players).toEqual([])
    server.world.join('Abby', 1n)
    const reported: string[] = []
    bridge.subscribe((event) => event.type === 'player_joined' && reported.push(event.player.name))
    await eventually(async () => expect((await bridge.players()).players).toHaveLength(1))
    server.world.join('Zoë', 2n)
    await eventually(() => expect(reported).toContain('Zoë'))
    expect(reported).toEqual(['Zoë'])
  })

  test('diagnostics with the query of the caller and exact ids, with one request for equal queries', async () => {
    const { bridge, server } = await reachedGame({ limits: still })
    server.world.join('Abby', 2n ** 53n + 1n)
    const query: [string, string][] = [['masterFlag', 'a&b=c']]
    const [one, other] = await Promise.all([bridge.diagnostics(query), bridge.diagnostics(query)])
    expect(one).toBe(other)
    expect(one).toMatchObject({ masterHasFlag: false })
    expect(one['otherFarmerUids']).toContain(2n ** 53n + 1n)
    expect(one).not.toHaveProperty('masterHasEvent')
    expect(one['capturedAt']).toMatch(/\.\d{3}Z$/)
  })
})
