import { useSignal } from '@preact/signals'
import { webhookEvents } from '../../../client/choices.ts'
import type { NewWebhook, WebhookEvent, WebhookFormat } from '../../../client/index.ts'
import { AskForm, CheckList, Choice, Field } from '../../parts/form.tsx'
import { noteStored } from '../../parts/stored-in-memory.tsx'
import type { SignedIn } from '../../session/session.ts'
import { webhookTexts } from './texts.ts'

/** In the order of the form. */
const formats: readonly WebhookFormat[] = ['discord', 'text', 'standard']

/** The format of a receiver, as far as its address shows it. */
function formatOf(url: string): WebhookFormat {
  const { hostname = '' } = URL.parse(url) ?? {}
  if (/(^|\.)discord(app)?\.com$/.test(hostname)) return 'discord'
  return /(^|\.)ntfy\./.test(hostname) ? 'text' : 'standard'
}

interface MakeProps {
  readonly session: SignedIn
  readonly onMade: (webhook: NewWebhook) => void
}

export function MakeWebhook({ session, onMade }: MakeProps) {
  const text = webhookTexts.value
  const url = useSignal('')
  const name = useSignal('')
  const format = useSignal<WebhookFormat | undefined>(undefined)
  const picked = useSignal<readonly WebhookEvent[]>(webhookEvents.filter((event) => event !== 'chat.message'))
  const chosen = format.value ?? (url.value.trim() === '' ? 'discord' : formatOf(url.value.trim()))
  const canBeMade = url.value.trim() !== '' && picked.value.length > 0
  const make = async () => {
    const made = await session.farm.createWebhook({
      name: name.value.trim() || text.nameOf[chosen],
      url: url.value.trim(),
      events: [...picked.value],
      format: chosen,
    })
    url.value = ''
    name.value = ''
    format.value = undefined
    onMade(noteStored(made))
  }
  return (
    <AskForm class="card form" ask={make} label={text.make} disabled={!canBeMade}>
      <h2>{text.make}</h2>
      <Field
        label={text.url}
        of={url}
        type="url"
        inputMode="url"
        maxLength={2048}
        spellcheck={false}
        placeholder="https://discord.com/api/webhooks/…"
        aria-describedby="url-hint"
      />
      <p id="url-hint" class="quiet">
        {text.urlHint}
      </p>
      <div class="pair">
        <Field label={text.name} of={name} maxLength={64} placeholder={text.nameOf[chosen]} />
        <Choice
          label={text.format}
          among={formats}
          value={chosen}
          of={format}
          texts={(one) => text.formats[one][0] ?? one}
        />
      </div>
      <p class="quiet">{text.formats[chosen][1]}</p>
      <CheckList
        class="events"
        legend={text.tells}
        of={webhookEvents}
        chosen={picked.value}
        texts={(event) => [text.events[event]]}
        onChange={(next) => {
          picked.value = next
        }}
      />
    </AskForm>
  )
}
