/** A simulated farm as `npm start` opens one: people who come, talk and leave, a history, and backups. */

import { settingsFromFile } from '../../bridges/settings-file/farm-settings.ts'
import type { FarmSaves } from '../../bridges/simulated/farm.ts'
import { savesBelow } from '../../bridges/simulated/saved-farm.ts'
import { simulatedFarm } from '../../bridges/simulated/simulated-farm.ts'
import { farmChat } from '../../handlers/chat/farm-chat.ts'
import type { ChatHistory } from '../../handlers/chat/history.ts'
import { systemClock } from '../../lib/clock.ts'
import { recordHistory } from '../../services/history/recorder.ts'
import { openWebhooks } from '../../services/webhooks/open-webhooks.ts'
import { backupsOf, keepDay, type SavedFarm, savedFarm } from '../backups/saved-farm.ts'
import { suiteKey } from '../contract/server-under-test.ts'
import { silent } from '../logs.ts'
import { memoryFarm } from '../records/memory-records.ts'
import { type NodeOptions, nodeServer } from '../runtime/node/node-server.ts'
import { livePastDay } from './past-day.ts'

/** Cabins are on the map. */
const settings = settingsFromFile('{"Server":{"CabinStrategy":"None"}}')

const farmName = 'Junimo'
/** Milliseconds of a day of the game. */
const lengthOfDay = 860_000
const farm = { seed: 'dashboard', speed: 1, clock: systemClock, version: '1.0.0' }

interface LivingOptions extends Pick<NodeOptions, 'driver' | 'signIn'> {
  /** Milliseconds since 1970, for the history. */
  readonly now?: () => number
  /** `steered`: only the test's controls change anything. */
  readonly story?: 'living' | 'steered'
  /** Replaces the game's own saves. */
  readonly savesOf?: (saves: FarmSaves) => FarmSaves
  /** Replaces a day with strange names. */
  readonly past?: Parameters<typeof livePastDay>[2]
  /** Earlier chat lines. */
  readonly chatLines?: ChatHistory
}

export async function livingFarm({
  now = Date.now,
  story = 'living',
  savesOf = (saves) => saves,
  past,
  chatLines,
  ...more
}: LivingOptions = {}) {
  const saved = savedFarm()
  await keepNights(saved, 9)
  const game = simulatedFarm({
    ...farm,
    settings,
    story,
    saves: savesOf(
      savesBelow(saved.savesDir, (error) => {
        throw error
      }),
    ),
  })
  const backups = backupsOf(saved, game)
  const { records, keys } = await memoryFarm(suiteKey)
  const history = recordHistory({
    resources: async () => ({}),
    game,
    calls: records.calls,
    later: records.later,
    now,
    monotonic: () => performance.now(),
  })
  const webhooks = openWebhooks({
    game,
    records,
    keepsChat: true,
    privateHosts: ['127.0.0.1'],
    farmName: () => farmName,
    tried: () => undefined,
    log: silent,
    now: Date.now,
    monotonic: () => performance.now(),
    random: Math.random,
  })
  livePastDay(records, Date.now(), past)
  await history.tick()
  const everySecond = setInterval(() => {
    void history.tick()
    void webhooks.tick()
  }, 1000)
  const server = await nodeServer({
    hasBackups: true,
    ...more,
    server: {
      game,
      records: records.of('local'),
      keys,
      backups: backups.port,
      ...(chatLines !== undefined && { chat: farmChat(game, chatLines) }),
    },
  })
  return {
    url: server.url,
    key: server.key,
    game,
    /** The folder with the archives of the backups. */
    backupsFolder: saved.folder,
    /** The folder of all saves. */
    savesFolder: saved.saves,
    async stop() {
      clearInterval(everySecond)
      history.close()
      await server.stop()
      await webhooks.close()
      await backups.close()
      await game.close()
      saved.remove()
    },
  }
}

/** Saves and backups of the last nights of a spring, as after days of running. */
async function keepNights(saved: SavedFarm, nights: number): Promise<void> {
  // The farm of a seed always has the same host, whose id names its saves.
  const { controls, close } = simulatedFarm({ ...farm, story: 'steered' })
  const farmId = Number(controls.hostId % 1_000_000_000n)
  await close()
  for (let night = 1; night <= nights; night += 1) {
    saved.save({ farmName, farmId, date: { season: 'spring', day: 28 - nights + night, year: 1 } })
    await keepDay(saved, farmName, Date.now() - (nights - night) * lengthOfDay)
  }
}
