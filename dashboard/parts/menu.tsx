import type { ComponentChildren } from 'preact'
import { Icon } from './icon.tsx'

interface MenuProps {
  /** The purpose of the menu, for those who cannot see its place. */
  readonly label: string
  /** Its buttons. */
  readonly children: ComponentChildren
}

/** A button with three dots, which opens a list of buttons; one menu is open at a time. */
export const Menu = ({ label, children }: MenuProps) => (
  <details class="menu" name="menu">
    <summary aria-label={label}>
      <Icon name="more" />
    </summary>
    <div class="menu-items">{children}</div>
  </details>
)
