/** A process that writes rows of the audit without end, and prints the number of each one when it is written. */
import { openRecords } from '../../../runtime/records/open-records.ts'
import { silent } from '../../logs.ts'

const [folder = '', first = '0'] = process.argv.slice(2)
const records = openRecords(folder, { audit: 90, history: 90, chat: 30 }, silent).of('here')

async function writer(number: number, step: number): Promise<void> {
  for (let row = number; ; row += step) {
    const id = await records.beganWrite({
      requestId: String(row),
      address: '127.0.0.1',
      action: 'setTime',
      parameters: { value: '1200' },
    })
    await records.endedWrite(id, { outcome: 'done', status: 200 })
    process.stdout.write(`${row}\n`)
  }
}

for (let offset = 0; offset < 4; offset += 1) void writer(Number(first) + offset, 4)
