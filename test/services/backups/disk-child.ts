/** Makes backups in a separate process, whose rights and disk a test limits; writes the outcome as JSON. */
import type { BackupRecord } from '../../../handlers/backup-record.ts'
import { FarmError } from '../../../handlers/farm-error.ts'
import { noHost } from '../../../services/host/no-host.ts'
import { backupsOf, savesOf } from '../../backups/saved-farm.ts'
import { type LogLine, recorder } from '../../logs.ts'
import { game } from './clover.ts'

const [savesDir = '', folder = '', user = '', thenRestores] = process.argv.slice(2)
if (user !== '' && process.getuid?.() === 0) {
  process.setgid?.(Number(user))
  process.setuid?.(Number(user))
}
const log: LogLine[] = []
const reasons: string[] = []
const { port, close, isFailing } = backupsOf({ savesDir, folder }, game, {
  log: recorder(log),
  onFailed: (reason) => void reasons.push(reason),
})
const kindOf = (error: unknown) => (error instanceof FarmError ? error.failure : String(error))
const made = await port.makeBackup().catch(kindOf)
const again = await port.makeBackup().catch(kindOf)
const list = await port.backups()
const [backup] = list.backups
const restored =
  thenRestores === 'true' && backup && (await port.restoreBackup(backup.id, false).catch(kindOf))
await close()
const saves = savesOf({ savesDir, folder }, game, noHost)
const listed = (await saves.saves()).map(({ name }) => name)
const upload = saves.uploadSave(new Blob([]).stream(), { isDryRun: false })
const uploaded = await upload.catch(kindOf)

/** The outcome that a test reads. */
export interface DiskOutcome {
  readonly made: BackupRecord | { readonly kind: string; readonly detail?: string }
  readonly again: DiskOutcome['made']
  readonly list: typeof list
  readonly restored?: unknown
  readonly listed: readonly string[]
  readonly uploaded: unknown
  readonly log: readonly LogLine[]
  readonly reasons: readonly string[]
  readonly isFailing: boolean
}
process.stdout.write(
  JSON.stringify({
    made,
    again,
    list,
    restored,
    listed,
    uploaded,
    log,
    reasons,
    isFailing: isFailing(),
  } satisfies {
    [Member in keyof DiskOutcome]: unknown
  }),
)
