/**
 * A process that endlessly writes rows of the audit and says chat lines, in the database of each folder. Behind the number
 * of the database it prints the number of each row when it is written, and that of each line, behind a `#`, when clients
 * would be sent it.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { GameEvent } from '../../../handlers/game-event.ts'
import { keptChat } from '../../../services/history/kept-chat.ts'
import { openRecords } from '../../../services/records/open-records.ts'
import { silent } from '../../logs.ts'

const [first = '0', ...folders] = process.argv.slice(2)

async function writeInto(folder: string, database: number): Promise<void> {
  const own = openRecords(folder, { audit: 90, history: 90, chat: 30 }, silent)
  const records = own.of('local')
  let say = (_event: GameEvent) => {}
  const subscribe = (listener: typeof say) => {
    say = listener
    return () => {}
  }
  const health = () => ({ gameAvailable: true, isFrozen: false, tickCount: 1, pendingActions: 0 })
  const chat = await keptChat({ subscribe, health }, own, true, Date.now)
  const print = (word: string) => process.stdout.write(`${database} ${word}\n`)
  chat.hear((event) => event.type === 'chat' && print(`#${event.seq}`))
  const writer = async (number: number, step: number): Promise<void> => {
    for (let row = number; ; row += step) {
      const id = await records.beganWrite({
        requestId: String(row),
        address: '127.0.0.1',
        action: 'setTime',
        parameters: { value: '1200' },
      })
      // The game makes the change.
      await pause(number % 4 === 0 ? 0 : 5)
      await records.endedWrite(id, { outcome: 'done', status: 200 })
      print(String(row))
      say({ type: 'chat', playerName: 'Abby', message: `line ${row}`, timestamp: '2026-11-21T12:00:00.000Z' })
    }
  }
  for (let offset = 0; offset < 4; offset += 1) void writer(Number(first) + offset, 4)
}

await Promise.all(folders.map(writeInto))
