import { describe, expect, test } from 'vitest'
import type { GameEvent } from '../../../handlers/game-event.ts'
import { eventually } from '../../wait.ts'
import { playerIds, type Start, started } from './expectations.ts'

const heard = (events: readonly GameEvent[], playerName: string) =>
  events.filter((event) => event.type === 'chat' && event.playerName === playerName)

export function chatContract(start: Start): void {
  describe('chat', () => {
    test('a line from the game is received once, in order, in any script, with its time', async () => {
      const { bridge, game, events } = await started(start)
      await game.join({ id: 77n, name: 'Tester' })
      await eventually(async () => expect(await playerIds(bridge)).toContain(77n))
      const lines = ['first', 'привет', 'third 🌱', 'third 🌱', 'a"b\\c', '最後']
      for (const line of lines) await game.say(77n, line)
      await eventually(() => expect(heard(events, 'Tester')).toHaveLength(lines.length))
      expect(heard(events, 'Tester')).toMatchObject(
        lines.map((message) => ({
          type: 'chat',
          playerName: 'Tester',
          message,
          timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        })),
      )
    })

    test('a line from outside arrives in the game exactly once, with its author and message, and is not sent back', async () => {
      const { bridge, game, events } = await started(start)
      await game.join({ id: 77n, name: 'Tester' })
      await eventually(async () => expect(await playerIds(bridge)).toContain(77n))
      const line = { author: 'Ève 🌱', message: 'hello, "farm" – привет' }
      await bridge.sendChat(line)
      await eventually(() => expect(game.relayed()).toContainEqual(line))
      // An echo would come before this line.
      await game.say(77n, 'seen it')
      await eventually(() => expect(heard(events, 'Tester')).toHaveLength(1))
      expect(game.relayed().filter(({ message }) => message === line.message)).toEqual([line])
      expect(events.filter((event) => event.type === 'chat' && event.message.includes('привет'))).toEqual([])
    })

    test('lines from outside arrive in the order of their sending', async () => {
      const { bridge, game } = await started(start)
      const lines = Array.from({ length: 8 }, (_, at) => ({ author: 'Bot', message: `line ${at}` }))
      for (const line of lines) await bridge.sendChat(line)
      await eventually(() => expect(game.relayed().filter(({ author }) => author === 'Bot')).toEqual(lines))
    })
  })
}
