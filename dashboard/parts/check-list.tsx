import type { ComponentChildren } from 'preact'

export interface CheckListProps<One extends string> {
  readonly legend: string
  readonly class?: string
  /** What can be chosen, in order. */
  readonly of: readonly One[]
  readonly chosen: readonly One[]
  readonly name: (one: One) => ComponentChildren
  /** @param chosen in order */
  readonly onChange: (chosen: readonly One[]) => void
}

/** Any number of a few things to choose. */
export function CheckList<One extends string>(props: CheckListProps<One>) {
  const { legend, of, chosen, name, onChange } = props
  return (
    <fieldset class={props.class}>
      <legend>{legend}</legend>
      {of.map((one) => (
        <label key={one} class="check">
          <input
            type="checkbox"
            checked={chosen.includes(one)}
            onChange={({ currentTarget: { checked } }) =>
              onChange(of.filter((other) => (other === one ? checked : chosen.includes(other))))
            }
          />
          <span>{name(one)}</span>
        </label>
      ))}
    </fieldset>
  )
}
