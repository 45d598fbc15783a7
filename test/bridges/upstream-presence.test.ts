import { expect, test } from 'vitest'
import { presence } from '../../bridges/upstream/presence.ts'
import type { Log } from '../../lib/log.ts'

test('a refused GAME_API_KEY is logged at once, then once a minute while it is refused, and when it is accepted', () => {
  let elapsed = 0
  const told: string[] = []
  const tell = (_fields: object, message: string) => void told.push(message)
  const log: Log = { debug: tell, info: tell, warn: tell, error: tell }
  const game = presence({
    clock: { now: () => 0, monotonic: () => elapsed, after: () => () => undefined, random: () => 0.5 },
    log,
    address: 'game:8080',
    hasKey: true,
    limits: { awayAfter: 10_000, brokenAfter: 3_000 },
  })
  const refused = 'the game server refuses GAME_API_KEY: set it to its own API_KEY'
  for (; elapsed < 90_000; elapsed += 1000) game.keyRejected()
  expect(told).toEqual([refused, refused])
  game.keyAccepted()
  game.keyRejected()
  expect(told).toEqual([refused, refused, 'the game server takes the key again', refused])
})
