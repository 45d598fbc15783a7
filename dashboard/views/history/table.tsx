import type { ComponentChildren } from 'preact'

export interface TableProps {
  readonly label: string
  readonly columns: readonly string[]
  /** Its rows. */
  readonly children: ComponentChildren
}

/** A table that can be long and wide, in a frame that scrolls. */
export const Table = ({ label, columns, children }: TableProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to scroll by keyboard too
  <div class="scrolling" tabIndex={0}>
    <table class="rows" aria-label={label}>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column} scope="col">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </div>
)
