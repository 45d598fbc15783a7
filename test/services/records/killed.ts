/**
 * A process that endlessly writes rows of the audit and says chat lines. It prints the number of each row when it is
 * written, and that of each line, behind a `#`, when clients would be sent it.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { GameEvent } from '../../../handlers/game-event.ts'
import { keptChat } from '../../../services/history/kept-chat.ts'
import { openRecords } from '../../../services/records/open-records.ts'
import { silent } from '../../logs.ts'

const [folder = '', first = '0'] = process.argv.slice(2)
const own = openRecords(folder, { audit: 90, history: 90, chat: 30 }, silent)
const records = own.of('local')
let say = (_event: GameEvent) => {}
const subscribe = (listener: typeof say) => {
  say = listener
  return () => {}
}
const chat = await keptChat({ subscribe }, own, true, Date.now)
chat.hear((event) => event.type === 'chat' && process.stdout.write(`#${event.seq}\n`))

async function writer(number: number, step: number): Promise<void> {
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
    process.stdout.write(`${row}\n`)
    say({ type: 'chat', playerName: 'Abby', message: `line ${row}`, timestamp: '2026-11-21T12:00:00.000Z' })
  }
}

for (let offset = 0; offset < 4; offset += 1) void writer(Number(first) + offset, 4)
