import type { Fleet } from '../../client/fleet.ts'
import type { FarmOutcome } from '../../client/index.ts'
import { Trouble } from '../parts/asked.tsx'
import { useFirstOf } from '../parts/first-of.tsx'
import { useLoaded } from '../parts/loaded.ts'
import { number } from '../texts/texts.ts'
import { fleetTexts } from './texts.ts'

interface OutcomesProps {
  readonly fleet: Fleet
  readonly id: string
  /** How many farms the action is for. */
  readonly farms: number
  /** Their names, where they are known: those that are not done are then shown too. */
  readonly names?: readonly string[]
}

/** Milliseconds between two reads, until the action has ended. */
const lookEvery = 2_000

/** In the order in which they are shown. */
const outcomes = ['failed', 'waiting', 'skipped', 'succeeded'] as const
type Shown = Omit<FarmOutcome, 'outcome'> & { readonly outcome: (typeof outcomes)[number] }

/** The outcome of an action at each farm, live, failures first. */
export function Outcomes({ fleet, id, farms, names }: OutcomesProps) {
  const text = fleetTexts.value
  const read = useLoaded(
    (signal) => fleet.action({ id }, { signal }),
    (last) => (last?.state === 'ended' ? 0 : lookEvery),
  )
  const { state = 'running', outcomes: done = [] } = read.value.value ?? {}
  const known = new Map(done.map((one) => [one.farm, one]))
  const shown = (names ?? [...known.keys()])
    .map((farm): Shown => known.get(farm) ?? { farm, outcome: state === 'ended' ? 'skipped' : 'waiting' })
    .toSorted((one, other) => outcomes.indexOf(one.outcome) - outcomes.indexOf(other.outcome))
  const [drawn, more] = useFirstOf(shown, 100)
  const failed = done.filter(({ outcome }) => outcome === 'failed').length
  return (
    <>
      <p role="status">
        {state === 'running'
          ? text.running(number(done.length), number(farms))
          : text.ended(number(failed), number(farms))}
      </p>
      <Trouble error={read.error.value} />
      <ul class="outcomes">
        {drawn.map(({ farm, outcome, detail }) => (
          <li key={farm} data-state={outcome}>
            <bdi>{farm}</bdi>
            <span class="tag">{text.outcomes[outcome]}</span>
            {detail !== undefined && <bdi class="quiet">{detail}</bdi>}
          </li>
        ))}
      </ul>
      {more}
    </>
  )
}
