import { useSignal } from '@preact/signals'
import type { Fleet } from '../../client/fleet.ts'
import type { FleetEntry } from '../../client/index.ts'
import { Dialog } from '../parts/dialog.tsx'
import { AskForm, Field } from '../parts/form.tsx'
import { fleetTexts } from './texts.ts'

interface EditProps {
  readonly fleet: Fleet
  readonly of: FleetEntry
  readonly onClose: () => void
  readonly onSaved: () => Promise<void>
}

/** The tags and the note of a farm. What is not changed here is not sent, so that it is kept. */
export function Edit({ fleet, of, onClose, onSaved }: EditProps) {
  const text = fleetTexts.value
  const before = { tags: of.tags.join(', '), note: of.note ?? '' }
  const tags = useSignal(before.tags)
  const note = useSignal(before.note)
  const save = async () => {
    const changed = {
      ...(tags.value !== before.tags && { tags: tagsIn(tags.value) }),
      ...(note.value !== before.note && { note: note.value.trim() }),
    }
    await fleet.noteFarm({ farm: of.farm, ...changed })
    await onSaved()
    onClose()
  }
  return (
    <Dialog title={of.farm} onClose={onClose}>
      <AskForm ask={save} label={text.save}>
        <Field label={text.tags} of={tags} aria-describedby="tags-hint" />
        <p id="tags-hint" class="quiet">
          {text.tagsHint}
        </p>
        <Field label={text.note} of={note} maxLength={500} />
      </AskForm>
    </Dialog>
  )
}

/** A Chinese keyboard has commas of its own. */
const tagsIn = (text: string): readonly string[] => [
  ...new Set(
    text
      .split(/[,，、]/)
      .map((one) => one.trim())
      .filter(Boolean),
  ),
]
