/**
 * One cabin as a drawing of 50 by 44: its roof in its owner's colour, its window lit while the owner is on the farm.
 */
import { hueOf } from '../../parts/player-name.tsx'

export interface CabinHouseProps {
  /** Undefined while it is free. */
  readonly owner: string | undefined
  readonly isLit: boolean
}

export const CabinHouse = ({ owner, isLit }: CabinHouseProps) => (
  <g
    class="house"
    data-free={owner === undefined}
    data-lit={isLit}
    style={{ '--hue': String(hueOf(owner ?? '')) }}
  >
    <ellipse class="ground" cx="25" cy="41" rx="25" ry="4" />
    <path class="chimney" d="M36 4h5v12h-5z" />
    <path class="wall" d="M6 19h38v22H6z" />
    <path class="roof" d="M1 21 25 3l24 18-3 3H4z" />
    <path class="door" d="M21 28h9v13h-9z" />
    <path class="window" d="M10 27h7v7h-7zM34 27h7v7h-7z" />
  </g>
)
