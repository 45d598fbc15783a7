/** What can be done with a backup. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Backup, Status } from '../../../client/index.ts'
import { Trouble, useAsked } from '../../parts/asked.tsx'
import { dateOf, dayNumber } from '../../parts/calendar-days.ts'
import { DialogButton } from '../../parts/dialog.tsx'
import { DownloadButton } from '../../parts/download-button.tsx'
import { AskForm, ConfirmButton, Field } from '../../parts/form.tsx'
import type { SignedIn } from '../../session/session.ts'
import { isSeason } from '../../session/status.ts'
import { dateTime, number } from '../../texts/texts.ts'
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

export const DownloadBackup = ({ session, backup: { id } }: Omit<BackupProps, 'onChange'>) => (
  <DownloadButton
    session={session}
    label={backupTexts.value.download}
    path="/backups/download"
    query={{ id }}
  />
)

/** Restores a backup, after the user has seen what will be lost and has typed the farm's name. */
export function RestoreBackup(props: BackupProps) {
  const text = backupTexts.value
  return (
    <DialogButton label={text.restore} title={text.restoreTitle}>
      <Restore {...props} />
    </DialogButton>
  )
}

function Restore({ session, backup, onChange }: BackupProps) {
  const text = backupTexts.value
  const { farm, live } = session
  const typed = useSignal('')
  const isChecked = useSignal(false)
  const isDone = useSignal(false)
  /** The players of the demo leave when they are asked. */
  const areObedient = useSignal(false)
  const check = useAsked()
  const checkArchive = () =>
    check.run(async () => {
      await farm.restoreBackup({ id: backup.id, dryRun: true })
      const host = session.hasHost ? await farm.host().catch(() => undefined) : undefined
      areObedient.value = host?.driver === 'simulated'
      isChecked.value = true
    })
  // The server reads the archive and reports whether it could be restored.
  useEffect(() => void checkArchive(), [])
  const isFree = (live.players.value?.players.length ?? 0) === 0
  const name = typable(backup.farmName) || backup.id
  const isSame = typable(typed.value) === name
  const restore = async () => {
    try {
      await farm.restoreBackup({ id: backup.id })
      isDone.value = true
    } finally {
      await onChange()
    }
  }
  if (isDone.value) return <p role="status">{text.restored(dateOf(backup))}</p>
  if (check.error.value !== undefined)
    return <Trouble error={check.error.value} again={() => void checkArchive()} />
  if (!isChecked.value) return <p role="status">{text.checking}</p>
  return (
    <AskForm
      ask={restore}
      label={text.restoreDo}
      look="danger"
      disabled={!isSame || !(isFree || areObedient.value)}
      busy={text.restoring}
    >
      <p>{text.restoreWhat(dateOf(backup))}</p>
      <p>
        <strong>{lostTexts(backup, live.status.value)}</strong>
      </p>
      <p>{text.restoreSafety}</p>
      {!isFree && <p class="trouble">{areObedient.value ? text.playersLeave : text.playersOn}</p>}
      <Field label={text.typeFarm(name)} of={typed} />
    </AskForm>
  )
}

/** Maximum of characters of a name to type: the game's own names are shorter. */
const longestTyped = 40

/** A name as a person can type it: the farm of an archive can have any characters in its name. */
const typable = (name: string): string =>
  [...name.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '').trim()].slice(0, longestTyped).join('').trim()

function lostTexts(backup: BackupProps['backup'], now: Status | undefined): string {
  const text = backupTexts.value
  if (now === undefined || !isSeason(now.season)) return text.restoreToday
  const days = dayNumber({ ...now, season: now.season }) - dayNumber(backup)
  if (days < 0) return text.restoreAhead(-days, number(-days))
  return days === 0 ? text.restoreToday : text.restoreLost(days, number(days))
}
