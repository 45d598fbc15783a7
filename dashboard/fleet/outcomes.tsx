import type { Fleet } from '../../client/fleet.ts'
import type { FarmOutcome, FleetActionName } from '../../client/index.ts'
import { useFirstOf } from '../parts/first-of.tsx'
import { useLoaded } from '../parts/loaded.ts'
import { Trouble } from '../parts/trouble.tsx'
import { number, texts } from '../texts/texts.ts'
import { fleetTexts } from './texts.ts'

interface OutcomesProps {
  readonly fleet: Fleet
  readonly id: string
  readonly action: FleetActionName
  /** The farms of the action, by name. */
  readonly farms: readonly string[]
  readonly onClose: () => void
}

/** Milliseconds between two reads, until the action has ended. */
const lookEvery = 2_000

/** In the order in which they are shown. */
const outcomes = ['failed', 'waiting', 'skipped', 'succeeded'] as const
type Shown = Omit<FarmOutcome, 'outcome'> & { readonly outcome: (typeof outcomes)[number] }

/** The outcome of an action at each farm, live, failures first. */
export function Outcomes({ fleet, id, action, farms, onClose }: OutcomesProps) {
  const text = fleetTexts.value
  const read = useLoaded(
    (signal) => fleet.action({ id }, { signal }),
    (last) => (last?.state === 'ended' ? 0 : lookEvery),
  )
  const { state = 'running', outcomes: done = [] } = read.value.value ?? {}
  const known = new Map(done.map((one) => [one.farm, one]))
  const shown = farms
    .map((farm): Shown => known.get(farm) ?? { farm, outcome: state === 'ended' ? 'skipped' : 'waiting' })
    .toSorted((one, other) => outcomes.indexOf(one.outcome) - outcomes.indexOf(other.outcome))
  const [drawn, more] = useFirstOf(shown, 100)
  const failed = done.filter(({ outcome }) => outcome === 'failed').length
  return (
    <section class="card form" aria-labelledby={`action-${id}`}>
      <h2 id={`action-${id}`}>{text.acts[action]}</h2>
      <p role="status">
        {state === 'running'
          ? text.running(number(done.length), number(farms.length))
          : text.ended(number(failed), number(farms.length))}
      </p>
      <Trouble error={read.error.value} />
      <ul class="outcomes">
        {drawn.map(({ farm, outcome, detail }) => (
          <li key={farm} data-outcome={outcome}>
            <bdi>{farm}</bdi>
            <span class="tag">{text.outcomes[outcome]}</span>
            {detail !== undefined && <bdi class="quiet">{detail}</bdi>}
          </li>
        ))}
      </ul>
      {more}
      <button type="button" onClick={onClose}>
        {texts.value.close}
      </button>
    </section>
  )
}
