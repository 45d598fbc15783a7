import { useSignal } from '@preact/signals'
import type { Backup } from '../../../client/index.ts'
import { useAsked } from '../../parts/asked.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Trouble } from '../../parts/trouble.tsx'
import type { SignedIn } from '../../session.ts'
import { dateTime } from '../../words/words.ts'
import { dateOf } from './date-of.ts'
import { backupWords } from './words.ts'

export interface BackupProps {
  readonly session: SignedIn
  readonly backup: Backup
  readonly onChange: () => Promise<void>
}

export function DeleteBackup({ session, backup, onChange }: BackupProps) {
  const text = backupWords.value
  const isOpen = useSignal(false)
  const asked = useAsked()
  const remove = async () => {
    const isDone = await asked.run(async () => {
      await session.farm.deleteBackup({ id: backup.id })
    })
    if (isDone) await onChange()
  }
  return (
    <>
      <button
        type="button"
        class="danger"
        onClick={() => {
          isOpen.value = true
        }}
      >
        {text.remove}
      </button>
      {isOpen.value && (
        <Dialog
          title={text.removeTitle}
          onClose={() => {
            isOpen.value = false
          }}
        >
          <div class="form">
            <p>
              {dateOf(backup)} <span class="quiet">{dateTime(backup.madeAt)}</span>
            </p>
            <p>{text.removeHint}</p>
            {asked.error.value !== undefined && <Trouble error={asked.error.value} />}
            <button
              type="button"
              class="danger"
              aria-disabled={asked.isBusy.value}
              onClick={() => void remove()}
            >
              {text.removeDo}
            </button>
          </div>
        </Dialog>
      )}
    </>
  )
}
