import { scopes } from '../../client/choices.ts'
import type { Scope } from '../../client/index.ts'
import { keyTexts } from '../texts/keys.ts'
import { CheckList } from './form.tsx'

interface AllowsProps {
  readonly chosen: { value: readonly Scope[] }
  /** “Scopes” unless given. */
  readonly legend?: string
}

/** The choice of scopes. */
export const Allows = ({ chosen, legend = keyTexts.value.allows }: AllowsProps) => (
  <CheckList
    legend={legend}
    of={scopes}
    chosen={chosen.value}
    texts={(scope) => keyTexts.value.scopes[scope]}
    onChange={(next) => {
      chosen.value = next
    }}
  />
)
