/**
 * Keeps records on a mount whose file system turns read-only, as one does after an error of the disk, while the database
 * is open. Writes what came of it as JSON. Argument: the mount.
 */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { keepRecords } from '../../../services/records/keeper.ts'

const [mount = ''] = process.argv.slice(2)
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
const digest = new Uint8Array(32)
for (const id of ['abc', 'def'])
  await calls.addKey({ id, name: 'bot', scopes: ['chat'], digest, createdAt: 1 })
execFileSync('mount', ['-o', 'remount,abort', mount])
const revoked = await calls.revokeKey('abc', 5)
now += 120_000
tick()
const keys = (await calls.storedKeys()).map(({ id }) => id)
close()
process.stdout.write(JSON.stringify({ revoked, keys, changes, notes }))
