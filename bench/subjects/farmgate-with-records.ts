/** The control API on the simulated farm, with its records on the disk and the history recorded, or without records. */
import { setTimeout as pause } from 'node:timers/promises'
import type { GameBridge } from '../../handlers/game-bridge.ts'
import type { Records } from '../../handlers/records.ts'
import { recordHistory } from '../../services/history/recorder.ts'
import { openRecords } from '../../services/records/open-records.ts'
import { serveSubject } from '../measure.ts'
import { measuredServer, quietLog, steeredFarm } from '../measured-server.ts'

const days = { audit: 90, history: 90, chat: 30 }

async function recorded(folder: string, game: GameBridge): Promise<Records> {
  const records = openRecords(folder, days, quietLog)
  const history = recordHistory({
    resources: async () => ({}),
    game,
    calls: records.calls,
    later: records.later,
    now: Date.now,
    monotonic: () => performance.now(),
  })
  setInterval(() => void history.tick(), 1000).unref()
  await records.calls.storedKeys()
  return records.of('local')
}

/** Answers the calls that every write makes, and no others. */
const forgetful = {
  state: () => 'ok',
  beganWrite: async () => 1,
  endedWrite: async () => undefined,
} satisfies Partial<Records> as unknown as Records
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
