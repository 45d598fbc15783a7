export interface CheckListProps<One extends string> {
  readonly legend: string
  readonly class?: string
  /** The choices, in order. */
  readonly of: readonly One[]
  readonly chosen: readonly One[]
  /** Its name and its description. */
  readonly texts: (one: One) => readonly string[]
  /** @param chosen in order */
  readonly onChange: (chosen: readonly One[]) => void
}

/** A choice of any number of a few things. */
export function CheckList<One extends string>(props: CheckListProps<One>) {
  const { legend, of, chosen, texts, onChange } = props
  return (
    <fieldset class={props.class}>
      <legend>{legend}</legend>
      {of.map((one) => {
        const [name, more] = texts(one)
        return (
          <label key={one} class="check">
            <input
              type="checkbox"
              checked={chosen.includes(one)}
              onChange={({ currentTarget: { checked } }) =>
                onChange(of.filter((other) => (other === one ? checked : chosen.includes(other))))
              }
            />
            <span>
              {name} {more !== undefined && <span class="quiet">{more}</span>}
            </span>
          </label>
        )
      })}
    </fieldset>
  )
}
