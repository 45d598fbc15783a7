/** Writes events as deliveries, one for each webhook that has the event. */
import type { WebhookEvent } from '../../handlers/webhook-record.ts'
import type { Clock } from '../../lib/clock.ts'
import { stringifyRecord } from '../../lib/json.ts'
import type { MadeEvent } from '../records/deliveries-table.ts'
import type { EventData } from './event.ts'

/** The name of the farm is added. */
export type Notify = <Name extends WebhookEvent>(event: Name, data: Omit<EventData[Name], 'farmName'>) => void

/** Milliseconds that chat lines are gathered before they go to Discord in one message. */
const gathers = 2000

interface NotifyParts extends Pick<Clock, 'now'> {
  makeDeliveries(event: MadeEvent, gathers: number): Promise<number>
  /** Called when deliveries were made. */
  made(): void
  readonly farmName: () => string | undefined
}

export const notifier =
  ({ makeDeliveries, made, farmName, now }: NotifyParts): Notify =>
  (event, data) => {
    const text = stringifyRecord({ farmName: farmName() ?? '', ...data })
    makeDeliveries({ event, data: text, at: now() }, gathers).then(
      (count) => {
        if (count > 0) made()
      },
      // The records do not answer, which they log themselves.
      () => undefined,
    )
  }
