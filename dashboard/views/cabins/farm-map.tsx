/** The farm from above, with the cabins at their tiles. The table next to it has the same facts as text. */
import type { Cabin, Season } from '../../../client/index.ts'
import { hueOf } from '../../parts/player-name.tsx'

interface CabinHouseProps {
  /** Undefined while it is free. */
  readonly owner: string | undefined
  readonly isLit: boolean
}

/** One cabin as a drawing of 50 by 44: its roof in its owner's colour, its window lit while the owner is on the farm. */
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

export interface NumberedCabin extends Cabin {
  readonly number: number
  /** Undefined while it is free. */
  readonly owner: string | undefined
  readonly isLit: boolean
}

export interface FarmMapProps {
  readonly cabins: readonly NumberedCabin[]
  readonly season: Season
  readonly label: string
}

/** Tiles of the standard farm; a farm with cabins beyond them is drawn larger. */
const [standardWidth, standardHeight] = [80, 65]
/** Tiles of a cabin. */
const [cabinWidth, cabinHeight] = [5, 3]

export function FarmMap({ cabins, season, label }: FarmMapProps) {
  const width = Math.max(standardWidth, ...cabins.map(({ tileX }) => tileX + cabinWidth + 6))
  const height = Math.max(standardHeight, ...cabins.map(({ tileY }) => tileY + cabinHeight + 6))
  const inPercent = (tiles: number, of: number) => `${(tiles / of) * 100}%`
  return (
    <div class="farm-map" role="img" aria-label={label} data-season={season || 'spring'}>
      <svg viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
        <path class="meadow" d={`M0 0h${width}v${height}H0z`} />
        <path class="tufts" d={tuftsAround(cabins, width, height)} />
        <path class="hedge" d={`M0 0h${width}v${height}H0z`} />
        {cabins.map(({ number, tileX, tileY, owner, isLit }) => (
          <svg
            key={number}
            x={tileX - 1}
            y={tileY - 3}
            width={7}
            height={6.2}
            viewBox="0 0 50 44"
            aria-hidden="true"
          >
            <CabinHouse owner={owner} isLit={isLit} />
          </svg>
        ))}
      </svg>
      {cabins.map(({ number, tileX, tileY, owner }) => (
        <span
          key={number}
          class="plate"
          style={{
            left: inPercent(tileX + cabinWidth / 2, width),
            top: inPercent(tileY + cabinHeight + 0.4, height),
          }}
        >
          <b>{number}</b>
          {owner !== undefined && <bdi>{owner}</bdi>}
        </span>
      ))}
    </div>
  )
}

/** @returns a number from 0 to 1 that looks random, and is the same for the same input */
function scattered(at: number): number {
  const far = Math.sin((at + 1) * 12.9898) * 43_758.5453
  return far - Math.floor(far)
}

/** Grass at places that look random and are always the same, except under a cabin. */
function tuftsAround(cabins: readonly Cabin[], width: number, height: number): string {
  const tufts: string[] = []
  for (let at = 0; at < 90; at += 1) {
    const x = 4 + scattered(at) * (width - 8)
    const y = 4 + scattered(at + 0.5) * (height - 8)
    const isFree = cabins.every(
      ({ tileX, tileY }) => x < tileX - 3 || x > tileX + 8 || y < tileY - 4 || y > tileY + 8,
    )
    if (isFree) tufts.push(`M${x.toFixed(1)} ${y.toFixed(1)}l-.6-1.2m.6 1.2v-1.5m0 1.5 .6-1.2`)
  }
  return tufts.join('')
}
