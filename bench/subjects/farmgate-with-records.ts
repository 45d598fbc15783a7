/** The control API on the simulated farm, with its records on the disk and the history recorded, or without records. */
import { setTimeout as pause } from 'node:timers/promises'
import type { GameBridge } from '../../handlers/game-bridge.ts'
import { serveSubject } from '../measure.ts'
import { measuredServer, steeredFarm } from '../measured-server.ts'
import { forgetful, recorded } from '../records/kept.ts'

const [key = '', folder = '', wait = '0'] = process.argv.slice(2)
const farm = steeredFarm()
/** The farm, with writes that take as many milliseconds as those of a game would. */
const game: GameBridge = {
  ...farm,
  async setRendering(...args) {
    if (wait !== '0') await pause(Number(wait))
    return farm.setRendering(...args)
  },
}
const records = folder === '' ? forgetful : await recorded(folder, farm)
const server = await measuredServer(game, key, records)
serveSubject({ port: () => server.port })
