import { useSignal } from '@preact/signals'
import type { Farm, WebhookDelivery } from '../../../client/index.ts'
import { AskButton, Trouble, useAsked } from '../../parts/asked.tsx'
import type { SignedIn } from '../../session/session.ts'
import { webhookTexts } from './texts.ts'

interface SendTestProps {
  readonly session: SignedIn
  readonly id: string
  readonly isMain?: boolean
  readonly onDone?: () => void
}

/** Sends a test, and shows its outcome. */
export function SendTest({ session, id, isMain = false, onDone }: SendTestProps) {
  const text = webhookTexts.value
  const asked = useAsked()
  const ended = useSignal<WebhookDelivery | 'unknown' | undefined>(undefined)
  const send = async () => {
    ended.value = undefined
    await asked.run(async () => {
      ended.value = (await sendTest(session.farm, id)) ?? 'unknown'
    })
    onDone?.()
  }
  const result = ended.value
  const isArrived = typeof result === 'object' && result.state === 'delivered'
  return (
    <>
      <AskButton of={asked} class={isMain ? 'main' : undefined} onClick={() => void send()}>
        {asked.isBusy.value ? text.testing : text.test}
      </AskButton>
      <Trouble error={asked.error.value} />
      <p role="status" class={isArrived ? 'confirmed' : result === undefined ? 'unseen' : 'trouble'}>
        {result === 'unknown' && text.noResult}
        {isArrived && text.arrived}
        {typeof result === 'object' && !isArrived && (
          <>
            <strong>{text.notArrived}</strong> {deliveryCause(result)}
          </>
        )}
      </p>
    </>
  )
}

/** Milliseconds between two checks of the test. */
const lookEvery = 300
/** An attempt has 15 seconds; this many checks take longer. */
const looks = 70

/**
 * @returns how it ended; undefined when that is unknown in time
 * @throws {FarmgateError}
 */
async function sendTest(farm: Farm, id: string): Promise<WebhookDelivery | undefined> {
  const { deliveryId } = await farm.testWebhook({ id })
  for (let look = 0; look < looks; look += 1) {
    // Reads many, because a busy farm may have made other deliveries after the test.
    const { deliveries } = await farm.webhookDeliveries({ id, limit: 100 })
    const delivery = deliveries.find((one) => one.id === deliveryId)
    if (delivery !== undefined && delivery.state !== 'waiting') return delivery
    await new Promise((resolve) => setTimeout(resolve, lookEvery))
  }
  return undefined
}

/** Why the last attempt of a delivery failed, and what to do. */
export function deliveryCause({ error, status }: WebhookDelivery): string {
  const text = webhookTexts.value
  if (error === undefined) return ''
  return error === 'status' && status !== undefined
    ? `${text.status(String(status))} ${text.errors.status}`
    : text.errors[error]
}
