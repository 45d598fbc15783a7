/**
 * A process that endlessly makes events and sends them to a webhook. It prints the number of each event when its
 * delivery is in the database. Without a first number it makes none, and only sends pending ones.
 */
import { openRecords } from '../../../services/records/open-records.ts'
import { openWebhooks } from '../../../services/webhooks/open-webhooks.ts'
import { silent } from '../../logs.ts'

const [folder = '', url = '', first] = process.argv.slice(2)
const records = openRecords(folder, { audit: 90, history: 90, chat: 30 }, silent)
const port = records.of('local')
const webhooks = openWebhooks({
  game: {
    health: () => ({ gameAvailable: false, isFrozen: false, tickCount: 0, pendingActions: 0, awaySince: 0 }),
    status: () => Promise.reject(new Error('an offline farm is not called')),
    subscribe: () => () => undefined,
  },
  records,
  keepsChat: true,
  privateHosts: ['127.0.0.1'],
  farmName: () => 'Clover',
  tried: () => undefined,
  log: silent,
  now: Date.now,
  monotonic: () => performance.now(),
  random: Math.random,
})
if ((await port.webhooks()).length === 0)
  await port.makeWebhook({ name: 'w', url, events: ['player.joined'], format: 'standard' })
setInterval(() => void webhooks.tick(), 20)

for (let number = Number(first); first !== undefined; number += 1) {
  const data = JSON.stringify({ farmName: '', playerId: number, name: String(number) })
  await records.calls.makeDeliveries({ event: 'player.joined', data, at: Date.now() }, 0)
  process.stdout.write(`${number}\n`)
}
