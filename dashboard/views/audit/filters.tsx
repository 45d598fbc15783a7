import type { Signal } from '@preact/signals'
import { Choice } from '../../parts/form.tsx'
import { useLoaded } from '../../parts/loaded.ts'
import type { SignedIn } from '../../session/session.ts'
import { actionNames, actionTexts, auditTexts } from './texts.ts'

interface FiltersProps {
  readonly session: SignedIn
  /** Empty shows all, as does an empty key. */
  readonly action: Signal<string>
  readonly of: Signal<string>
}

/** Which rows are shown: of one kind of change, of one key. */
export function Filters({ session, action, of }: FiltersProps) {
  const text = auditTexts.value
  const read = useLoaded(async (signal) => (await session.farm.keys({}, { signal })).keys)
  const names = new Map([
    ['', text.everybody],
    ['api_key', 'API_KEY'],
    ...(read.value.value ?? []).map(({ id, name }) => [id, name] as const),
  ])
  const named = (name: string) => (name === '' ? text.everything : actionTexts(name))
  const actions = actionNames.toSorted((one, other) =>
    named(one).localeCompare(named(other), document.documentElement.lang),
  )
  return (
    <div class="filters">
      <Choice label={text.what} among={['', ...actions]} of={action} texts={named} />
      <Choice label={text.who} among={[...names.keys()]} of={of} texts={(id) => names.get(id) ?? id} />
    </div>
  )
}
