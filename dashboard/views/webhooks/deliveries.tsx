import { useSignal } from '@preact/signals'
import type { WebhookDelivery } from '../../../client/index.ts'
import { AskButton, Trouble, useAsked } from '../../parts/asked.tsx'
import { useLoaded } from '../../parts/loaded.ts'
import type { SignedIn } from '../../session/session.ts'
import { dateTime, number, time } from '../../texts/texts.ts'
import { deliveryCause } from './send-test.tsx'
import { webhookTexts } from './texts.ts'

/** Rows of one page. */
const pageSize = 20
/** Milliseconds between two reads. */
const lookEvery = 5_000

/** Past and waiting deliveries of a webhook, newest first. */
export function Deliveries({ session, id }: { readonly session: SignedIn; readonly id: string }) {
  const text = webhookTexts.value
  const first = useLoaded(
    (signal) => session.farm.webhookDeliveries({ id, limit: pageSize }, { signal }),
    lookEvery,
  )
  const older = useSignal<{ readonly rows: readonly WebhookDelivery[]; readonly next?: string | undefined }>({
    rows: [],
  })
  const asked = useAsked()
  const page = first.value.value
  const before = older.value.rows.length > 0 ? older.value.next : page?.next
  const oldest = page?.deliveries.at(-1)?.id
  const rows = [
    ...(page?.deliveries ?? []),
    // The first page shifts when deliveries are added.
    ...older.value.rows.filter((one) => oldest === undefined || Number(one.id) < Number(oldest)),
  ]
  const showOlder = () =>
    asked.run(async () => {
      const { deliveries, next } = await session.farm.webhookDeliveries({ id, limit: pageSize, before })
      older.value = { rows: [...older.value.rows, ...deliveries], next }
    })
  return (
    <div class="deliveries" aria-busy={first.isBusy.value}>
      <h2>{text.deliveries}</h2>
      <Trouble error={first.error.value} again={() => void first.again()} />
      {page !== undefined && rows.length === 0 && <p class="quiet">{text.noDeliveries}</p>}
      <ul>
        {rows.map((delivery) => (
          <OneDelivery key={delivery.id} session={session} delivery={delivery} onChange={first.again} />
        ))}
      </ul>
      <Trouble error={asked.error.value} />
      {before !== undefined && (
        <AskButton of={asked} onClick={() => void showOlder()}>
          {text.older}
        </AskButton>
      )}
    </div>
  )
}

interface OneDeliveryProps {
  readonly session: SignedIn
  readonly delivery: WebhookDelivery
  readonly onChange: () => Promise<void>
}

function OneDelivery({ session, delivery, onChange }: OneDeliveryProps) {
  const text = webhookTexts.value
  const asked = useAsked()
  const { id, event, madeAt, state, tries, nextTryAt } = delivery
  const replay = async () => {
    const isDone = await asked.run(() => session.farm.replayDelivery({ deliveryId: id }))
    if (isDone) await onChange()
  }
  const cause = state === 'delivered' ? '' : deliveryCause(delivery)
  return (
    <li data-state={state}>
      <span>
        {text.events[event]}
        <span class="quiet">
          {[
            dateTime(madeAt),
            tries > 1 ? text.tries(tries, number(tries)) : '',
            nextTryAt === undefined ? '' : text.nextTry(time(nextTryAt)),
          ]
            .filter((part) => part !== '')
            .join(' · ')}
        </span>
        {cause !== '' && <span class="quiet">{cause}</span>}
      </span>
      <span class="tag">{text.states[state]}</span>
      {event !== 'test' && (
        <AskButton of={asked} class="bare" onClick={() => void replay()}>
          {text.again}
        </AskButton>
      )}
      <Trouble error={asked.error.value} />
    </li>
  )
}
