/** The service `game` of compose.yaml: the stand-in game server, with the key of its environment. */
import { startGameServer } from '../../game-server/game-server.ts'
import { publish } from './publish.ts'

const game = await startGameServer({ key: process.env['API_KEY'] ?? '' })
publish(8080, game.port)
