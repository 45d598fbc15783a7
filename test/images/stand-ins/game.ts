/** The service `game` of compose.yaml: the stand-in game server, with the key of its environment, once there are game files. */
import { existsSync, writeFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { startGameServer } from '../../game-server/game-server.ts'
import { publish } from './publish.ts'

const settings = process.env['SETTINGS_PATH'] ?? ''

while (!existsSync('/data/game/.download-manifest-413150')) await setTimeout(100)
if (!existsSync(settings)) writeFileSync(settings, '{"Server":{"MaxPlayers":10}}')
const game = await startGameServer({ key: process.env['API_KEY'] ?? '' })
publish(8080, game.port)
