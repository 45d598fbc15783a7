/** The stand-in game server, which counts its requests. */
import { startGameServer } from '../../test/game-server/game-server.ts'
import { serveSubject } from '../measure.ts'

const [key = ''] = process.argv.slice(2)
const game = await startGameServer({ key })
game.world.addFarmhand('Abby', 6_208_260_877_024_290_921n)

serveSubject({
  port: () => game.port,
  /** @returns the number of requests for each resource so far */
  counts: () => Object.fromEntries(game.counts),
  /** Says a line. @returns when, milliseconds since 1970 with fractions */
  say: (text: string) => {
    const at = performance.timeOrigin + performance.now()
    game.world.say('Abby', text)
    return at
  },
})
