/** The two kinds of records that a request is measured with: those of `npm run serve`, and some that store nothing. */
import type { GameBridge } from '../../handlers/game-bridge.ts'
import type { Records } from '../../handlers/records.ts'
import { recordHistory } from '../../services/history/recorder.ts'
import { openRecords } from '../../services/records/open-records.ts'
import { quietLog } from '../measured-server.ts'

const days = { audit: 90, history: 90, chat: 30 }

export async function recorded(folder: string, game: GameBridge): Promise<Records> {
  const records = openRecords(folder, days, quietLog)
  const history = recordHistory({
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
export const forgetful = {
  state: () => 'ok',
  beganWrite: async () => 1,
  endedWrite: async () => undefined,
} satisfies Partial<Records> as unknown as Records
