import type { Backup } from '../../../client/index.ts'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
import type { SignedIn } from '../../session/session.ts'
import { dateTime } from '../../texts/texts.ts'
import { dateOf } from './calendar-days.ts'
import { backupTexts } from './texts.ts'

export interface BackupProps {
  readonly session: SignedIn
  readonly backup: Backup
  readonly onChange: () => Promise<void>
}

export function DeleteBackup({ session, backup, onChange }: BackupProps) {
  const text = backupTexts.value
  return (
    <ConfirmButton
      label={text.remove}
      title={text.removeTitle}
      confirm={text.removeDo}
      ask={() => session.farm.deleteBackup({ id: backup.id })}
      onDone={onChange}
    >
      <p>
        {dateOf(backup)} <span class="quiet">{dateTime(backup.madeAt)}</span>
      </p>
      <p>{text.removeHint}</p>
    </ConfirmButton>
  )
}
