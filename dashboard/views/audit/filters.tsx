import { useLoaded } from '../../parts/loaded.ts'
import type { SignedIn } from '../../session/session.ts'
import { actionNames, actionTexts, auditTexts } from './texts.ts'

/** Which rows are shown; an empty one shows all. */
export interface Filter {
  readonly action: string
  readonly key: string
}

export interface FiltersProps {
  readonly session: SignedIn
  readonly filter: Filter
  readonly onChange: (filter: Filter) => void
}

/** Which rows are shown: of one kind of change, of one key. */
export function Filters({ session, filter, onChange }: FiltersProps) {
  const text = auditTexts.value
  const keys = useLoaded(async (signal) => (await session.farm.keys({}, { signal })).keys)
  const named = [{ id: 'api_key', name: 'API_KEY' }, ...(keys.value.value ?? [])]
  const actions = actionNames
    .map((name) => [name, actionTexts(name)] as const)
    .toSorted(([, one], [, other]) => one.localeCompare(other, document.documentElement.lang))
  return (
    <div class="filters">
      <label>
        {text.what}
        <select
          value={filter.action}
          onChange={({ currentTarget }) => onChange({ ...filter, action: currentTarget.value })}
        >
          <option value="">{text.everything}</option>
          {actions.map(([name, said]) => (
            <option key={name} value={name}>
              {said}
            </option>
          ))}
        </select>
      </label>
      <label>
        {text.who}
        <select
          value={filter.key}
          onChange={({ currentTarget }) => onChange({ ...filter, key: currentTarget.value })}
        >
          <option value="">{text.everybody}</option>
          {named.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </label>
    </div>
  )
}
