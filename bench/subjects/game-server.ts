/** The subject: the stand-in game server, which counts what it is asked. */
import { startGameServer } from '../../test/game-server/game-server.ts'
import { serveSubject } from '../measure.ts'

const [key = ''] = process.argv.slice(2)
const game = await startGameServer({ key })
game.world.addFarmhand('Abby', 6_208_260_877_024_290_921n)

serveSubject({
  port: () => game.port,
  /** @returns how often each resource was asked so far */
  counts: () => Object.fromEntries(game.counts),
  /** @returns when it was said, milliseconds since 1970 with fractions */
  say: (text: string) => {
    const at = performance.timeOrigin + performance.now()
    game.world.say('Abby', text)
    return at
  },
})
