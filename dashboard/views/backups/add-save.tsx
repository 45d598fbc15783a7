/** Adds a save from a zip: sends it once to show what is in it, and again when the user agrees. */
import { useSignal } from '@preact/signals'
import type { Save } from '../../../client/index.ts'
import { AskButton, Note, Trouble, useAsked } from '../../parts/asked.tsx'
import { dateOf } from '../../parts/calendar-days.ts'
import { DialogButton } from '../../parts/dialog.tsx'
import { Field } from '../../parts/form.tsx'
import { sentPart } from '../../parts/send-file.ts'
import type { SignedIn } from '../../session/session.ts'
import { percent } from '../../texts/texts.ts'
import { SaveFacts } from './save-facts.tsx'
import { backupTexts } from './texts.ts'

interface AddProps {
  readonly session: SignedIn
  /** The existing ones. */
  readonly saves: readonly Save[]
  readonly onAdded: () => Promise<void>
}

const maxBytes = 256 * 1024 ** 2

export const AddSave = (props: AddProps) => {
  const text = backupTexts.value
  return (
    <DialogButton label={text.add} title={text.addTitle}>
      <AddForm {...props} />
    </DialogButton>
  )
}

function AddForm({ session, saves, onAdded }: AddProps) {
  const text = backupTexts.value
  const asked = useAsked()
  const file = useSignal<File | undefined>(undefined)
  const name = useSignal('')
  const found = useSignal<Save | undefined>(undefined)
  const isAdded = useSignal(false)
  const save = found.value
  const isTooLarge = (file.value?.size ?? 0) > maxBytes
  const exists = saves.some((one) => one.name === save?.name)
  const send = async (dryRun: boolean) => {
    const content = file.value
    if (content === undefined || isTooLarge) return
    await asked.run(async (signal) => {
      const given = { content, dryRun, ...(name.value.trim() !== '' && { save: name.value.trim() }) }
      found.value = await session.farm.uploadSave(given, { signal })
      isAdded.value = !dryRun
      if (!dryRun) await onAdded()
    })
  }
  const look = () => {
    found.value = undefined
    void send(true)
  }
  if (isAdded.value && save !== undefined) return <p role="status">{text.added(save.farmName)}</p>
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault()
        if (save === undefined) look()
        else void send(false)
      }}
    >
      <label>
        {text.file}
        <input
          type="file"
          accept=".zip,application/zip"
          disabled={asked.isBusy.value}
          onChange={({ currentTarget }) => {
            file.value = currentTarget.files?.[0]
            name.value = ''
            look()
          }}
        />
      </label>
      <p class="quiet">{text.fileHint}</p>
      {isTooLarge && <Note what={text.tooLarge} cure="" />}
      {asked.isBusy.value && (
        <>
          <progress value={sentPart.value} aria-label={text.sending} />
          <p role="status">
            {sentPart.value < 1 ? `${text.sending} ${percent(sentPart.value)}` : text.checking}
          </p>
        </>
      )}
      <Trouble error={asked.error.value} />
      {asked.error.value?.code === 'archive_refused' && (
        <Field label={text.whichSave} of={name} maxLength={128} spellcheck={false} />
      )}
      {save !== undefined && (
        <>
          <p>
            <strong dir="auto">{save.farmName}</strong> {dateOf(save)}
          </p>
          <SaveFacts save={save} />
          {exists ? <Note what={text.exists(save.name)} cure={text.existsCure} /> : <p>{text.replaces}</p>}
        </>
      )}
      {(save !== undefined || asked.error.value !== undefined) && (
        <AskButton of={asked} class="main" disabled={exists}>
          {save === undefined ? text.lookAgain : text.addDo}
        </AskButton>
      )}
    </form>
  )
}
