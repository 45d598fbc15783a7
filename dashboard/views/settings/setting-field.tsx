/** One setting of the form. Where its value is unknown, the field begins with “leave as it is”. */
import { useId } from 'preact/hooks'
import { textOf } from '../../texts/texts.ts'
import { type Field, offered } from './fields.ts'
import { settingsTexts } from './texts.ts'

export interface SettingFieldProps {
  readonly field: Field
  /** The value that the server reports; undefined where it does not. */
  readonly reported: string | undefined
  /** The value that the user chose or typed; undefined while it is unchanged. */
  readonly typed: string | undefined
  readonly onChange: (value: string | undefined) => void
}

/** A value as text: `0` of the kind of farm is Standard. */
export function shownValue({ kind }: Field, value: string): string {
  const text = settingsTexts.value
  if (kind.is === 'farm type') return text.farms[Number(value)] ?? value
  return kind.is === 'flag' || kind.is === 'choice' ? textOf(text.values, value) : value
}

export function SettingField(props: SettingFieldProps) {
  const { field, typed } = props
  const { names } = settingsTexts.value
  const id = useId()
  return (
    <div class="setting" data-changed={typed !== undefined}>
      <label for={id}>{names[field.name]}</label>
      <Input {...props} id={id} />
      {field.name === 'server.cabinStrategy' && <p class="quiet">{settingsTexts.value.strategyNote}</p>}
      {field.name === 'game.cabinLayoutNearby' && <p class="quiet">{settingsTexts.value.layoutNote}</p>}
    </div>
  )
}

function Input({ id, field, reported, typed, onChange }: SettingFieldProps & { readonly id: string }) {
  const text = settingsTexts.value
  const { kind } = field
  const value = typed ?? reported ?? ''
  const onInput = ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
    onChange(currentTarget.value === '' ? undefined : currentTarget.value)
  if (kind.is === 'text' || kind.is === 'ids')
    return (
      <input
        id={id}
        value={value}
        {...(kind.is === 'text' && { maxLength: kind.longest })}
        placeholder={kind.is === 'ids' ? text.ids : reported === undefined ? text.leave : undefined}
        {...(kind.is === 'ids' && { pattern: '[0-9\\s,;]*' })}
        autocomplete="off"
        onInput={onInput}
      />
    )
  if (kind.is === 'number')
    return (
      <input
        id={id}
        type="number"
        inputMode="decimal"
        value={value}
        min={kind.least}
        max={kind.most}
        step={kind.step === 1 ? 1 : 'any'}
        required={reported !== undefined}
        placeholder={reported === undefined ? text.leave : undefined}
        onInput={onInput}
      />
    )
  if (kind.is === 'farm type') return <FarmType id={id} value={value} onChange={onChange} />
  const of = kind.is === 'flag' ? ['true', 'false'] : offered(field.name, kind.of, reported)
  return (
    <select id={id} value={value} onChange={onInput}>
      {reported === undefined && <option value="">{text.leave}</option>}
      {reported !== undefined && !of.includes(reported) && (
        <option value={reported}>{shownValue(field, reported)}</option>
      )}
      {of.map((one) => (
        <option key={one} value={one}>
          {shownValue(field, one)}
        </option>
      ))}
    </select>
  )
}

interface FarmTypeProps {
  readonly id: string
  readonly value: string
  readonly onChange: (value: string) => void
}

/** Neither a number of the list nor a name: the field is empty, and the browser asks for a name. */
const notYet = ' '

/** A farm of the game from a list, or a typed name. */
function FarmType({ id, value, onChange }: FarmTypeProps) {
  const text = settingsTexts.value
  const isOwn = /^[0-7]$/.test(value)
  return (
    <>
      <select
        id={id}
        value={isOwn ? value : 'other'}
        onChange={({ currentTarget }) =>
          onChange(currentTarget.value === 'other' ? notYet : currentTarget.value)
        }
      >
        {text.farms.map((name, at) => (
          <option key={name} value={String(at)}>
            {name}
          </option>
        ))}
        <option value="other">{text.otherFarm}</option>
      </select>
      {!isOwn && (
        <input
          aria-label={text.otherFarmName}
          placeholder={text.otherFarmName}
          value={value.trim()}
          maxLength={128}
          required
          autocomplete="off"
          onInput={({ currentTarget }) => onChange(currentTarget.value || notYet)}
        />
      )}
    </>
  )
}
