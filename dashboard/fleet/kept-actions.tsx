/** The actions at many farms of the last week, also of other pages: each opens to show its outcomes. */
import { useSignal } from '@preact/signals'
import type { Fleet } from '../../client/fleet.ts'
import type { FleetActionSummary } from '../../client/index.ts'
import { useFirstOf } from '../parts/first-of.tsx'
import { Fold } from '../parts/fold.tsx'
import { dateTime, number } from '../texts/texts.ts'
import { Outcomes } from './outcomes.tsx'
import { fleetTexts } from './texts.ts'

interface KeptActionsProps {
  readonly fleet: Fleet
  /** Newest first. */
  readonly actions: readonly FleetActionSummary[]
}

export function KeptActions({ fleet, actions }: KeptActionsProps) {
  const [shown, more] = useFirstOf(actions, 10)
  return (
    <section class="card" aria-labelledby="kept-actions">
      <h2 id="kept-actions">{fleetTexts.value.kept}</h2>
      <ul>
        {shown.map((one) => (
          <KeptAction key={one.id} fleet={fleet} of={one} />
        ))}
      </ul>
      {more}
    </section>
  )
}

function KeptAction({ fleet, of }: { readonly fleet: Fleet; readonly of: FleetActionSummary }) {
  const text = fleetTexts.value
  const isOpen = useSignal(false)
  const { id, action, at, state, farms, succeeded, failed, skipped } = of
  const summary =
    state === 'running'
      ? text.running(number(succeeded + failed + skipped), number(farms))
      : text.ended(number(failed), number(farms))
  return (
    <Fold
      state={failed > 0 ? 'failed' : undefined}
      summary={
        <span class="grow">
          {text.acts[action]} <span class="quiet">{`${dateTime(at)} · ${summary}`}</span>
        </span>
      }
      onToggle={(next) => {
        isOpen.value = next
      }}
    >
      {isOpen.value && <Outcomes fleet={fleet} id={id} farms={farms} />}
    </Fold>
  )
}
