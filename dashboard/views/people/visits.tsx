/** When a person was on the farm. */
import { useLoaded } from '../../parts/loaded.ts'
import { Trouble } from '../../parts/trouble.tsx'
import type { SignedIn } from '../../session/session.ts'
import { dateTime, dateTimes, duration } from '../../texts/texts.ts'
import { peopleTexts } from './texts.ts'

/** Visits of a person that are shown. */
const limit = 20

interface VisitsProps {
  readonly session: SignedIn
  readonly playerId: bigint
  /** How many visits there are. */
  readonly all: number
}

export function Visits({ session: { farm, live }, playerId, all }: VisitsProps) {
  const text = peopleTexts.value
  const visits = useLoaded(
    async (signal) => (await farm.historySessions({ playerId, limit }, { signal })).sessions,
  )
  if (visits.error.value !== undefined)
    return <Trouble error={visits.error.value} again={() => void visits.again()} />
  if (visits.value.value === undefined) return <p class="quiet">{text.reading}</p>
  return (
    <>
      <ul class="visits" aria-label={text.when}>
        {visits.value.value.map(({ joinedAt, leftAt }) => {
          const joined = Date.parse(joinedAt)
          const left = leftAt === undefined ? undefined : Date.parse(leftAt)
          const length = duration((left ?? live.now()) - joined)
          return (
            <li key={joinedAt}>
              {left === undefined
                ? text.visitNow(dateTime(joined), length)
                : text.visit(dateTimes(joined, left), length)}
            </li>
          )
        })}
      </ul>
      {all > limit && <p class="quiet">{text.onlyNewest}</p>}
    </>
  )
}
