/** The farm's unsolicited frames over the link, for any behaviour of the edge. */
import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { farmEnd } from './farm-end.ts'

describe("the farm's unsolicited frames", () => {
  test('hello is the first frame, and nothing follows before the welcome of the edge', async () => {
    const { types, game, pass } = await farmEnd()
    game.controls.say(7n, 'hello?')
    game.controls.leave(7n)
    game.controls.freeze()
    pass(1000)
    expect(types()).toEqual(['hello'])
  })

  test('hello says when chat lines cannot be stored', async () => {
    const [kept, unkept] = [await farmEnd(true), await farmEnd(false)]
    expect(kept.said[0]).not.toHaveProperty('keepsChat')
    expect(unkept.said[0]).toMatchObject({ type: 'hello', keepsChat: false })
  })

  test('missed is sent once over a link, after the lines before it', async () => {
    const { game, chat, pass, said, welcome } = await farmEnd()
    welcome()
    const outage = { from: '2026-11-21T12:00:00.000Z', to: '2026-11-21T12:05:00.000Z' }
    game.controls.say(7n, 'before')
    chat.missed(outage.from, outage.to)
    pass(1000)
    expect(said.filter(({ type }) => type === 'line' || type === 'missed')).toMatchObject([
      { type: 'line', n: 1 },
      { type: 'missed', after: 1, ...outage },
    ])
  })

  test('changes of the clock are sent only while clients read the status', async () => {
    const { types, game, welcome, hear, pass } = await farmEnd()
    welcome()
    await game.setTime(1200)
    pass(1000)
    expect(types()).toEqual(['hello'])
    hear({ type: 'look' })
    expect(types()).toEqual(['hello', 'event'])
    await game.setTime(1300)
    expect(types()).toEqual(['hello', 'event', 'event'])
    pass(121_000)
    const before = types().filter((type) => type === 'event').length
    await game.setTime(1400)
    expect(types().filter((type) => type === 'event')).toHaveLength(before)
  })

  test('the health is sent again only when it differs from what the edge calculates', async () => {
    const { types, game, welcome, connection } = await farmEnd()
    welcome()
    connection.check()
    expect(types()).not.toContain('health')
    game.controls.freeze()
    connection.check()
    connection.check()
    expect(types().filter((type) => type === 'health')).toHaveLength(1)
  })
})

describe('a slow edge', () => {
  test('gets the newest of the pending events and lines when it reads again', async () => {
    const { game, said, socket, lines, hear, welcome, pass } = await farmEnd()
    welcome()
    hear({ type: 'watch', topics: ['status'] })
    socket.buffered = 1_000_000
    for (const time of [1200, 1300, 1400]) await game.setTime(time)
    game.controls.say(7n, 'one')
    expect([said.some(({ event }) => event !== undefined), lines()]).toEqual([false, []])
    socket.buffered = 0
    pass(1000)
    expect(said.flatMap(({ event }) => (event ? [event.status?.timeOfDay] : []))).toEqual([1400])
    expect(lines()).toEqual([1])
  })

  test('that confirms no line gets 200 lines, and the farm keeps 2000', async () => {
    const { game, lines, hear, welcome } = await farmEnd()
    welcome()
    for (let line = 1; line <= 2500; line += 1) game.controls.say(7n, `line ${line}`)
    expect(lines()).toHaveLength(200)
    hear({ type: 'heard', n: 200 })
    // Lines that are no longer kept are not sent; all kept ones are, in order.
    for (let n = 200; lines().at(-1) !== 2500; ) {
      n = lines().at(-1) ?? n
      hear({ type: 'heard', n })
    }
    expect(lines().slice(200)).toEqual(Array.from({ length: 2000 }, (_, at) => 501 + at))
  })

  test.each([
    [256 * 1024, [1], ['status_changed']],
    [256 * 1024 + 1, [], []],
  ])(
    'with %i bytes pending in its socket gets the lines %j and the events %j',
    async (waiting, sentLines, sentEvents) => {
      const { game, socket, lines, events, welcome } = await farmEnd()
      welcome()
      socket.buffered = waiting
      game.controls.say(7n, 'one')
      game.controls.leave(7n)
      expect([lines(), events()]).toEqual([sentLines, sentEvents])
    },
  )

  test('with more than 16 MiB pending is disconnected at the next answer', async () => {
    const { closed, socket, hear, welcome, said } = await farmEnd()
    welcome()
    socket.buffered = 16 * 1024 * 1024
    hear({ type: 'call', id: 1, method: 'rendering', args: [] })
    await turn()
    expect([said.at(-1), closed]).toEqual([{ type: 'answer', id: 1 }, []])
    socket.buffered += 1
    hear({ type: 'call', id: 2, method: 'rendering', args: [] })
    await turn()
    expect([said.at(-1), closed]).toEqual([{ type: 'answer', id: 1 }, [[4429, 'The edge does not drain']]])
  })

  test('with more than 16 MiB pending is disconnected within a second, and once', async () => {
    const { closed, socket, welcome, pass } = await farmEnd()
    welcome()
    socket.buffered = 16 * 1024 * 1024 + 1
    pass(1000)
    pass(1000)
    expect(closed).toEqual([[4429, 'The edge does not drain']])
  })
})
