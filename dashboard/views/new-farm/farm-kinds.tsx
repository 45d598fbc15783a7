/** The choice of the kind of a new farm, each with a drawing. */

import type { Field } from '../settings/fields.ts'
import { shownValue } from '../settings/setting-field.tsx'
import { settingsTexts } from '../settings/texts.ts'
import { FarmDrawing } from './drawing.tsx'

interface FarmKindsProps {
  readonly field: Field
  /** The one in the settings: of the game, or the name or mod id of another. */
  readonly reported: string | undefined
  readonly value: string | undefined
  readonly onChange: (value: string) => void
}

export function FarmKinds({ field, reported, value, onChange }: FarmKindsProps) {
  const { farms, names } = settingsTexts.value
  const own = [...farms.keys()].map(String)
  return (
    <fieldset class="farm-kinds">
      <legend>{names[field.name]}</legend>
      {(reported === undefined || own.includes(reported) ? own : [...own, reported]).map((kind) => (
        <label key={kind}>
          <input type="radio" name="farm-kind" checked={kind === value} onChange={() => onChange(kind)} />
          <FarmDrawing kind={Number(kind)} />
          <span>{shownValue(field, kind)}</span>
        </label>
      ))}
    </fieldset>
  )
}
