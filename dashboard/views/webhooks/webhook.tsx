import { useSignal } from '@preact/signals'
import type { Webhook } from '../../../client/index.ts'
import { Facts, Fold } from '../../parts/fold.tsx'
import { ConfirmButton } from '../../parts/form.tsx'
import { noteStored } from '../../parts/stored-in-memory.tsx'
import type { SignedIn } from '../../session/session.ts'
import { dateTime, number } from '../../texts/texts.ts'
import { Deliveries } from './deliveries.tsx'
import { SendTest } from './send-test.tsx'
import { webhookTexts } from './texts.ts'

interface WebhookProps {
  readonly session: SignedIn
  readonly webhook: Webhook
  readonly onChange: () => Promise<void>
}

export function OneWebhook({ session, webhook, onChange }: WebhookProps) {
  const text = webhookTexts.value
  const isOpen = useSignal(false)
  const tests = useSignal(0)
  const { id, name, origin, events, format, createdAt, disabledAt, waiting } = webhook
  const isOff = disabledAt !== undefined
  return (
    <Fold
      state={isOff ? 'failed' : waiting > 0 ? 'unknown' : 'done'}
      onToggle={(open) => {
        isOpen.value = open
      }}
      summary={
        <>
          <span class="what">
            <bdi>{name}</bdi>
            <span class="quiet">{text.to(origin)}</span>
          </span>
          <span class="tag">{isOff ? text.off : waiting > 0 ? text.waiting(number(waiting)) : text.on}</span>
        </>
      }
    >
      {isOff && <p class="trouble">{text.offHint}</p>}
      <Facts
        of={[
          [text.format, text.formats[format][0]],
          [text.tells, events.map((event) => text.events[event]).join(' · ')],
          [text.made, dateTime(createdAt)],
        ]}
      />
      <div class="buttons">
        {!isOff && (
          <SendTest
            session={session}
            id={id}
            onDone={() => {
              tests.value += 1
            }}
          />
        )}
        <DeleteWebhook session={session} webhook={webhook} onChange={onChange} />
      </div>
      {isOpen.value && <Deliveries key={tests.value} session={session} id={id} />}
    </Fold>
  )
}

function DeleteWebhook({ session, webhook, onChange }: WebhookProps) {
  const text = webhookTexts.value
  return (
    <ConfirmButton
      label={text.remove}
      title={text.removeTitle}
      confirm={text.removeDo}
      ask={() => session.farm.deleteWebhook({ id: webhook.id }).then(noteStored)}
      onDone={onChange}
    >
      <p>
        <bdi>{webhook.name}</bdi>
      </p>
      <p>{text.removeHint}</p>
    </ConfirmButton>
  )
}
