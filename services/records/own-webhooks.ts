/** The calls of the port for webhooks. */
import { FarmError } from '../../handlers/farm-error.ts'
import { isoTime } from '../../handlers/iso-time.ts'
import type { Records } from '../../handlers/records.ts'
import type { WebhookRecord } from '../../handlers/webhook-record.ts'
import type { Clock } from '../../lib/clock.ts'
import { stringifyJson } from '../../lib/json.ts'
import type { KeeperCalls } from './keeper.ts'
import type { StoredWebhook, WebhookWithQueue } from './webhooks-table.ts'
import { requireAdded } from './within-limit.ts'

type WebhookCalls = Pick<
  Records,
  'webhooks' | 'makeWebhook' | 'deleteWebhook' | 'testWebhook' | 'webhookDeliveries' | 'replayDelivery'
>

interface OwnWebhooksParts extends Pick<Clock, 'now'> {
  readonly calls: KeeperCalls
  /** Called when a delivery or a webhook was made or changed. */
  readonly changed: () => void
  /** Whether a receiver at this address would get nothing. */
  readonly isRefused: (url: URL) => boolean
  readonly randomBytes: (size: number) => Uint8Array
}

const secretBytes = 32
const idBytes = 6

export function ownWebhooks({ calls, changed, isRefused, now, randomBytes }: OwnWebhooksParts): WebhookCalls {
  const afterwards = <Answer>(answer: Answer): Answer => {
    changed()
    return answer
  }
  return {
    webhooks: async () => (await calls.storedWebhooks()).map(webhookRecordOf),
    async makeWebhook({ name, url, events, format }) {
      const receiver = new URL(url)
      if (isRefused(receiver)) throw new FarmError({ kind: 'refused_address', host: receiver.hostname })
      const stored: StoredWebhook = {
        id: Buffer.from(randomBytes(idBytes)).toString('hex'),
        name,
        url,
        events: [...new Set(events)],
        format,
        createdAt: now(),
        ...(format === 'standard' && { secret: randomBytes(secretBytes) }),
      }
      requireAdded('webhooks', await calls.addWebhook(stored))
      changed()
      const { secret } = stored
      const record = webhookRecordOf({ ...stored, waiting: 0 })
      return { ...record, ...(secret !== undefined && { secret: shownSecret(secret) }) }
    },
    deleteWebhook: async (id) => afterwards(await calls.deleteWebhook(id, now())),
    testWebhook: async (id) => {
      const data = stringifyJson({ farmName: '' })
      return afterwards(await calls.makeTest(id, data, now()))
    },
    webhookDeliveries: (query) => calls.deliveries(query),
    replayDelivery: async (id) => afterwards(await calls.replayDelivery(Number(id), now())),
  }
}

/** As Standard Webhooks writes a secret. */
const shownSecret = (secret: Uint8Array): string => `whsec_${Buffer.from(secret).toString('base64')}`

const webhookRecordOf = ({
  id,
  name,
  url,
  events,
  format,
  createdAt,
  disabledAt,
  waiting,
}: WebhookWithQueue): WebhookRecord => ({
  id,
  name,
  origin: new URL(url).origin,
  events: [...events],
  format,
  createdAt: isoTime(createdAt),
  ...(disabledAt !== undefined && { disabledAt: isoTime(disabledAt) }),
  waiting,
})
