/**
 * Webhooks and their deliveries, as plain types (docs/notifications.md). A test compares them with the server's
 * schemas.
 */

/** The events of a webhook. */
export type WebhookEvent =
  | 'player.joined'
  | 'player.left'
  | 'chat.message'
  | 'day.started'
  | 'farm.online'
  | 'farm.away'
  | 'farm.stuck'
  | 'game.crashed'
  | 'game.hung'
  | 'game.restarted'
  | 'watchdog.gave_up'
  | 'backup.failed'
  | 'token.expiring'
  | 'key.throttled'

export type WebhookFormat = 'standard' | 'discord' | 'text'

/** A webhook, without its URL and its secret. */
export interface Webhook {
  id: string
  name: string
  /** Of its URL. */
  origin: string
  events: WebhookEvent[]
  format: WebhookFormat
  createdAt: string
  /** When its receiver said that it no longer exists; nothing is sent to it any more. */
  disabledAt?: string | undefined
  /** Deliveries that have not arrived yet. */
  waiting: number
}

export interface NewWebhook extends Webhook {
  /** The key with which it signs, shown only here; only of the format `standard`. */
  secret?: string | undefined
}

export interface WebhookDelivery {
  id: string
  event: WebhookEvent | 'test'
  madeAt: string
  state: 'waiting' | 'delivered' | 'failed'
  tries: number
  nextTryAt?: string | undefined
  endedAt?: string | undefined
  /** The HTTP status of the last attempt. */
  status?: number | undefined
  /** Why the last attempt failed. */
  error?:
    | 'refused_address'
    | 'unresolved'
    | 'no_connection'
    | 'timeout'
    | 'redirect'
    | 'status'
    | 'gone'
    | 'too_many_waiting'
    | undefined
}

export interface WebhookDeliveries {
  deliveries: WebhookDelivery[]
  next?: string | undefined
}
