/**
 * Keeps records on a mount whose file system turns read-only, as after an error of the disk, or becomes full, while the
 * database is open. Writes the outcome as JSON. Arguments: the mount, and `read-only` or `full`.
 */
import { execFileSync } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { keepRecords } from '../../../services/records/keeper.ts'

const [mount = '', what = ''] = process.argv.slice(2)
const changes: object[] = []
const notes: string[] = []
let now = 1_700_000_000_000
const { calls, tick, close } = keepRecords({
  path: join(mount, 'records.db'),
  days: { audit: 90, history: 90, chat: 30 },
  onState: (change) => changes.push(change),
  noted: (_fields, message) => notes.push(message),
  now: () => now,
  monotonic: () => now,
  random: () => 0.5,
  soon: setImmediate,
})
/** Writes until the disk is full. */
function fill(): void {
  for (const bytes of [65_536, 1])
    try {
      for (;;) appendFileSync(join(mount, 'filler'), Buffer.alloc(bytes))
    } catch {
      // It is full.
    }
}

const digest = new Uint8Array(32)
for (const id of ['abc', 'def'])
  await calls.addKey({ id, name: 'bot', scopes: ['chat'], digest, createdAt: 1 })
if (what === 'read-only') execFileSync('mount', ['-o', 'remount,abort', mount])
else fill()
for (let row = 1; changes.length === 1; row += 1)
  await calls.beganWrite({
    id: now * 1000 + row,
    at: now,
    origin: 'local',
    requestId: `request-${row}`,
    address: '127.0.0.1',
    action: 'setTime',
    parameters: { value: '1200' },
  })
const revoked = await calls.revokeKey('abc', 5)
now += 120_000
tick()
const keys = (await calls.storedKeys()).map(({ id }) => id)
close()
process.stdout.write(JSON.stringify({ revoked, keys, changes, notes }))
