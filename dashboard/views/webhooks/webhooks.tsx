/** The webhooks of the farm: make one, send a test, and see what was sent. */
import { useSignal } from '@preact/signals'
import type { NewWebhook } from '../../../client/index.ts'
import { Trouble } from '../../parts/asked.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { useLoaded } from '../../parts/loaded.ts'
import { Secret } from '../../parts/secret.tsx'
import { StoredInMemory } from '../../parts/stored-in-memory.tsx'
import type { SignedIn } from '../../session/session.ts'
import { texts } from '../../texts/texts.ts'
import { MakeWebhook } from './make.tsx'
import { SendTest } from './send-test.tsx'
import { webhookTexts } from './texts.ts'
import { OneWebhook } from './webhook.tsx'
import './webhooks.css'

/** Milliseconds between two reads. */
const lookEvery = 10_000

export function WebhooksView({ session }: { readonly session: SignedIn }) {
  const text = webhookTexts.value
  const all = useLoaded(async (signal) => (await session.farm.webhooks({}, { signal })).webhooks, lookEvery)
  const made = useSignal<NewWebhook | undefined>(undefined)
  return (
    <div class="view" aria-busy={all.isBusy.value}>
      <h1>{texts.value.views.webhooks}</h1>
      <StoredInMemory />
      <Trouble error={all.error.value} again={() => void all.again()} />
      {all.value.value !== undefined && (
        <section class="card">
          <p class="quiet">{text.hint}</p>
          {all.value.value.length === 0 && <p>{text.none}</p>}
          <ul>
            {all.value.value.map((webhook) => (
              <OneWebhook key={webhook.id} session={session} webhook={webhook} onChange={all.again} />
            ))}
          </ul>
        </section>
      )}
      {!all.isBusy.value && (
        <MakeWebhook
          session={session}
          onMade={(webhook) => {
            made.value = webhook
            void all.again()
          }}
        />
      )}
      {made.value !== undefined && (
        <Dialog
          title={made.value.name}
          onClose={() => {
            made.value = undefined
          }}
        >
          <div class="form">
            {made.value.secret !== undefined && (
              <Secret hint={text.secret} secret={made.value.secret} of={made.value.name} />
            )}
            <SendTest session={session} id={made.value.id} isMain={true} />
          </div>
        </Dialog>
      )}
    </div>
  )
}
