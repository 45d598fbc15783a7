/** The stand-in game server, which can be stopped, started and frozen. */
import { serveSubject } from '../../../bench/measure.ts'
import { startGameServer } from '../../game-server/game-server.ts'

const [key = ''] = process.argv.slice(2)
const game = await startGameServer({ key })
const speaker = 'Abby'
game.world.join(speaker, 6_208_260_877_024_290_921n)

serveSubject({
  url: () => game.url,
  say: (text: string) => void game.world.say(speaker, text),
  down: () => game.down(),
  up: () => game.up(),
  freeze: (isFrozen: boolean) => {
    game.world.isFrozen = isFrozen
  },
})
