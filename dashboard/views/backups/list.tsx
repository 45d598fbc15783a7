import type { Backup, Backups } from '../../../client/index.ts'
import { dateOf, type GameDay } from '../../parts/calendar-days.ts'
import { useFirstOf } from '../../parts/first-of.tsx'
import { Facts, Fold } from '../../parts/fold.tsx'
import { Icon } from '../../parts/icon.tsx'
import { allows, type SignedIn } from '../../session/session.ts'
import { bytes, dateTime } from '../../texts/texts.ts'
import { DeleteBackup, DownloadBackup, RestoreBackup } from './actions.tsx'
import { backupTexts } from './texts.ts'

interface ListProps {
  readonly session: SignedIn
  readonly state: Backups['state']
  readonly backups: readonly Backup[]
  /** The only day whose backups are shown. */
  readonly ofDay: GameDay | undefined
  readonly onAll: () => void
  readonly onChange: () => Promise<void>
}

/** Backups that are shown before the user asks for all. */
const firstShown = 10

export function BackupsList({ session, state, backups, ofDay, onAll, onChange }: ListProps) {
  const text = backupTexts.value
  const [shown, more] = useFirstOf(backups, firstShown)
  return (
    <section class="card">
      <header>
        <h2 aria-live="polite">{ofDay === undefined ? text.list : text.ofDay(dateOf(ofDay))}</h2>
        {ofDay !== undefined && (
          <button type="button" class="bare" onClick={onAll}>
            {text.showAll}
          </button>
        )}
      </header>
      <ul>
        {shown.map((backup) => (
          <OneBackup key={backup.id} session={session} backup={backup} state={state} onChange={onChange} />
        ))}
      </ul>
      {more}
    </section>
  )
}

interface OneBackupProps extends Pick<ListProps, 'session' | 'state' | 'onChange'> {
  readonly backup: Backup
}

function OneBackup({ session, backup, state, onChange }: OneBackupProps) {
  const text = backupTexts.value
  const { madeAt, verifiedAt, reason, offsite } = backup
  const isVerified = verifiedAt !== undefined
  return (
    <Fold
      state={isVerified ? 'done' : 'unknown'}
      summary={
        <>
          <Icon name={isVerified ? 'check' : 'doubt'} />
          <span class="what">
            {dateOf(backup)}
            <span class="quiet">
              {dateTime(madeAt)}
              {reason !== 'day' && ` · ${text.reasons[reason]}`}
            </span>
          </span>
          {!isVerified && <span class="tag">{text.notVerified}</span>}
        </>
      }
    >
      <Facts
        of={[
          [text.why, text.reasons[reason]],
          [text.size, bytes(backup.bytes)],
          [text.verifiedAt, isVerified ? dateTime(verifiedAt) : text.notVerified],
          offsite === 'none' ? undefined : [text.copy, text.copyStates[offsite]],
        ]}
      />
      {allows(session, 'admin') && (
        <div class="buttons">
          <DownloadBackup session={session} backup={backup} />
          {state.saves === 'mounted' && (
            <RestoreBackup session={session} backup={backup} onChange={onChange} />
          )}
          <DeleteBackup session={session} backup={backup} onChange={onChange} />
        </div>
      )}
    </Fold>
  )
}
