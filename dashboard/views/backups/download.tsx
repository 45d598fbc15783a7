import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { AskButton } from '../../parts/ask-button.tsx'
import { useAsked } from '../../parts/asked.ts'
import { Icon } from '../../parts/icon.tsx'
import { offerFile } from '../../parts/offer-file.ts'
import { Trouble } from '../../parts/trouble.tsx'
import { percent } from '../../texts/texts.ts'
import type { BackupProps } from './delete.tsx'
import { readArchive } from './resumed-download.ts'
import { backupTexts } from './texts.ts'

export function DownloadBackup({ session, backup }: Omit<BackupProps, 'onChange'>) {
  const text = backupTexts.value
  const asked = useAsked()
  const part = useSignal(0)
  const stopping = useRef(new AbortController())
  useEffect(() => () => stopping.current.abort(), [])
  const download = () => {
    stopping.current = new AbortController()
    const { signal } = stopping.current
    part.value = 0
    return asked.run(async () => {
      try {
        const archive = await readArchive(
          session.farm,
          backup.id,
          (done) => {
            part.value = done
          },
          signal,
        )
        offerFile(archive, `${backup.id}.zip`)
      } catch (error) {
        if (!signal.aborted) throw error
      }
    })
  }
  if (asked.isBusy.value)
    return (
      <>
        <span role="status">{text.downloading(percent(part.value))}</span>
        <button type="button" onClick={() => stopping.current.abort()}>
          {text.stop}
        </button>
      </>
    )
  return (
    <>
      <AskButton of={asked} class="with-icon" onClick={() => void download()}>
        <Icon name="backups" />
        {text.download}
      </AskButton>
      <Trouble error={asked.error.value} />
    </>
  )
}
