/** A simulated farm as `npm start` opens one: people who come, talk and go, and a history of what they did. */
import { simulatedFarm } from '../../runtime/bridges/simulated/simulated-farm.ts'
import { systemClock } from '../../runtime/clock.ts'
import { recordHistory } from '../../runtime/history/recorder.ts'
import { idsFrom } from '../../runtime/records/own-records.ts'
import { suiteKey } from '../contract/server-under-test.ts'
import { memoryFarm } from '../records/memory-records.ts'
import { nodeServer } from '../runtime/node/node-server.ts'

export async function livingFarm() {
  const game = simulatedFarm({ seed: 'dashboard', speed: 1, clock: systemClock, version: '1.0.0' })
  const { records, keys } = await memoryFarm(suiteKey)
  const history = recordHistory({
    game,
    calls: records.calls,
    later: records.later,
    nextId: idsFrom(Date.now),
    now: Date.now,
    monotonic: () => performance.now(),
  })
  await history.tick()
  const everySecond = setInterval(() => void history.tick(), 1000)
  const server = await nodeServer({ server: { game, records: records.of('here'), keys } })
  return {
    url: server.url,
    key: server.key,
    game,
    async stop() {
      clearInterval(everySecond)
      history.close()
      await server.stop()
      await game.close()
    },
  }
}
