/** The farm under its sky: season, time of day and weather as a drawing. The text next to it says the same. */
import type { Season } from '../../client/index.ts'
import { skyOf, type Weather } from '../session/status.ts'

export interface SkyProps {
  readonly season: Season
  readonly timeOfDay: number
  readonly weather: Weather
}

const minutesOf = (timeOfDay: number) => Math.floor(timeOfDay / 100) * 60 + (timeOfDay % 100)
const [dawn, sunset, end] = [360, 1200, 1560]

/** The position of sun or moon: from 0, rising in the east, to 1, setting in the west. */
function pathOf(timeOfDay: number): number {
  const minutes = minutesOf(timeOfDay)
  const part = minutes < sunset ? (minutes - dawn) / (sunset - dawn) : (minutes - sunset) / (end - sunset)
  return Math.min(1, Math.max(0, part))
}

export function Sky({ season, timeOfDay, weather }: SkyProps) {
  const part = pathOf(timeOfDay)
  const isDark = weather === 'lost' || weather === 'away' || weather === 'unknown'
  // Next to the text, which is on the left.
  const place = { '--x': String(58 + part * 36), '--y': String(56 - Math.sin(part * Math.PI) * 38) }
  return (
    <div
      class="sky"
      data-season={season || 'spring'}
      data-sky={isDark ? 'away' : skyOf(timeOfDay)}
      aria-hidden="true"
    >
      <svg class="stars" aria-hidden="true" viewBox="0 0 800 260" preserveAspectRatio="xMidYMin slice">
        {stars.map(([cx, cy, r]) => (
          <circle key={cx} cx={cx} cy={cy} r={r} />
        ))}
      </svg>
      <span class="sun" style={place} />
      <svg aria-hidden="true" viewBox="0 0 800 260" preserveAspectRatio="xMaxYMax slice">
        <path
          class="hill far"
          d="M-800 190c300-30 560 40 800 15c120-60 230-50 340-12s250 20 460-45v112H-800z"
        />
        <path class="hill near" d="M-800 228c300-20 560 10 800-2 150-34 280-20 420 2s260 6 380-20v52H-800z" />
        <path class="wall" d="M566 214v-30h46v30z" />
        <path class="roof" d="m560 186 29-22 29 22z" />
        <path class="window" d="M574 192h9v9h-9zM596 192h9v9h-9z" />
        <path class="fence" d={fence} />
      </svg>
    </div>
  )
}

const posts = Array.from({ length: 40 }, (_, at) => `M${at * 40 - 786} 229v25`)
const fence = `M-800 236h1600M-800 246h1600${posts.join('')}`

const stars = [
  [70, 40, 1.4],
  [150, 84, 1],
  [236, 30, 1.6],
  [318, 66, 1],
  [402, 24, 1.3],
  [470, 92, 1],
  [548, 44, 1.7],
  [640, 78, 1],
  [706, 34, 1.4],
  [764, 98, 1.1],
] as const
