/** Webhooks and their deliveries, as `/webhooks` shows them (docs/notifications.md). */

import * as v from 'valibot'
import { whereStored } from './deletion.ts'
import { described } from './described.ts'
import { timestamp } from './game-records.ts'
import type { PageQuery } from './parameter.ts'

/** The events of a webhook. */
const webhookEvents = [
  'player.joined',
  'player.left',
  'player.unlisted',
  'chat.message',
  'day.started',
  'farm.online',
  'farm.away',
  'farm.stuck',
  'game.crashed',
  'game.hung',
  'game.restarted',
  'game.wrong_farm',
  'watchdog.gave_up',
  'backup.failed',
  'token.expiring',
  'key.throttled',
] as const
export type WebhookEvent = (typeof webhookEvents)[number]

/** The format of a delivery: Standard Webhooks, a message of Discord, or plain text for ntfy and similar services. */
const webhookFormats = ['standard', 'discord', 'text'] as const

const event = described('The events of a webhook.', v.picklist(webhookEvents))
const format = v.picklist(webhookFormats)
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))

export const webhookRecord = described(
  'A webhook, without its URL and its secret.',
  v.object({
    id: v.string(),
    name: v.string(),
    origin: described('Of its URL.', v.string()),
    events: v.array(event),
    format,
    createdAt: timestamp,
    disabledAt: v.optional(
      described('When its receiver answered 410 Gone; nothing is sent to it any more.', timestamp),
    ),
    waiting: described('Deliveries that have not arrived yet.', count),
  }),
)
export type WebhookRecord = v.InferOutput<typeof webhookRecord>

/** The answer to the call that makes a webhook: the only one that shows its secret, which only `standard` has. */
export const newWebhook = v.object({
  ...webhookRecord.entries,
  secret: v.optional(
    described('The key with which it signs, shown only here; only of the format `standard`.', v.string()),
  ),
  ...whereStored,
})
export type NewWebhook = v.InferOutput<typeof newWebhook>

const aName = "Member 'name' must be a text of 1 to 64 characters without blanks at its ends"
const anAddress =
  "Member 'url' must be an http:// or https:// address of at most 2048 characters without user, password and fragment"
const someEvents = `Member 'events' must be a list of some of ${webhookEvents.join(', ')}`
const aFormat = `Member 'format' must be one of ${webhookFormats.join(', ')}`

/** @param text an absolute URL */
export function isReceiver(text: string): boolean {
  const url = URL.parse(text)
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return false
  return url.username === '' && url.password === '' && url.hash === ''
}

/** The new webhook as requested. The messages are sentences for the caller, and never show the URL. */
export const webhookRequest = v.strictObject({
  name: v.pipe(v.string(aName), v.maxLength(64, aName), v.regex(/^\S(.*\S)?$/, aName)),
  url: v.pipe(
    v.string(anAddress),
    v.maxLength(2048, anAddress),
    v.regex(/^[Hh][Tt][Tt][Pp][Ss]?:\/\/[!-~]+$/, anAddress),
  ),
  events: v.pipe(
    v.array(v.picklist(webhookEvents, someEvents), someEvents),
    v.minLength(1, someEvents),
    v.maxLength(webhookEvents.length, someEvents),
  ),
  format: v.picklist(webhookFormats, aFormat),
})
export type WebhookRequest = v.InferOutput<typeof webhookRequest>

/** The sentence for a URL that `isReceiver` refuses. */
export const notReceiver = anAddress

const tryErrors = [
  'refused_address',
  'unresolved',
  'no_connection',
  'timeout',
  'redirect',
  'status',
  'gone',
  'too_many_waiting',
] as const
export type TryError = (typeof tryErrors)[number]

export const delivery = v.object({
  id: described('`webhook-id` is `msg_` and this id.', v.string()),
  event: described(
    '`test` for one that was made by `/webhooks/test`.',
    v.picklist([...webhookEvents, 'test']),
  ),
  madeAt: timestamp,
  state: v.picklist(['waiting', 'delivered', 'failed']),
  tries: count,
  nextTryAt: v.optional(
    described('Of a waiting one: not before then, and not before earlier ones.', timestamp),
  ),
  endedAt: v.optional(timestamp),
  status: v.optional(described('The HTTP status of the last attempt.', v.number())),
  error: v.optional(described('Why the last attempt failed.', v.picklist(tryErrors))),
})
export type Delivery = v.InferOutput<typeof delivery>

/** Newest first. `next`: the `before` of the next page; missing on the last one. */
export const deliveryPage = v.object({ deliveries: v.array(delivery), next: v.optional(v.string()) })
export type DeliveryPage = v.InferOutput<typeof deliveryPage>

export interface DeliveryQuery extends PageQuery {
  /** Of the webhook. */
  readonly id: string
}
