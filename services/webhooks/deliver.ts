/**
 * Sends deliveries to webhooks: each webhook has a separate queue, in order. They are read from the records a page at
 * a time and changed there after each attempt, so that none is lost with the process.
 */
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { TriedDeliveries, WaitingDelivery } from '../records/deliveries-table.ts'
import type { StoredWebhook, WebhookWithQueue } from '../records/webhooks-table.ts'
import { bundleOf, discordMessage } from './discord-message.ts'
import { farmOf, wordsOf } from './event.ts'
import type { Message } from './message.ts'
import type { Post, TryEnd } from './post.ts'
import { isRefused, tryAgain } from './schedule.ts'
import { standardMessage } from './standard.ts'

const textMessage = ({ id, event, data }: WaitingDelivery): Message => ({
  headers: {
    'Content-Type': 'text/plain; charset=utf-8',
    Title: headerText(farmOf(event, data)),
    'webhook-id': `msg_${id}`,
  },
  body: wordsOf(event, data),
})

/** A header holds ASCII; anything else is written as an encoded word (RFC 2047), which ntfy reads. */
const headerText = (text: string): string =>
  /^[\x20-\x7e]*$/.test(text) ? text : `=?UTF-8?B?${Buffer.from(text).toString('base64')}?=`

interface DeliverCalls {
  storedWebhooks(): Promise<readonly WebhookWithQueue[]>
  dueDeliveries(webhookId: string, now: number, limit: number): Promise<readonly WaitingDelivery[]>
  deliveriesTried(tried: TriedDeliveries): Promise<void>
  disableWebhook(id: string, at: number): Promise<void>
}

export interface DeliverParts extends Pick<Clock, 'now' | 'random'> {
  readonly calls: DeliverCalls
  readonly post: Post
  readonly log: Pick<Log, 'warn' | 'info'>
  /** Called after each attempt with its outcome: `delivered`, or why not. */
  readonly tried: (outcome: string) => void
  readonly stopping: AbortSignal
}

/** Maximum of deliveries that are read at once, which is the maximum that go out together. */
const maxBundle = 20

export function deliverWebhooks(parts: DeliverParts) {
  const { calls, post, log, tried, now, random, stopping } = parts
  let known: readonly StoredWebhook[] | undefined
  /** Counts the changes, so that a list from before one is not kept. */
  let changes = 0
  const underWay = new Map<string, Promise<void>>()

  const changed = () => {
    changes += 1
    known = undefined
  }
  const list = async (): Promise<readonly StoredWebhook[]> => {
    const before = changes
    const webhooks = await calls.storedWebhooks().catch(() => undefined)
    if (before === changes) known = webhooks
    return webhooks ?? []
  }

  /** @returns whether there may be more to send */
  const sendNext = async (webhook: StoredWebhook): Promise<boolean> => {
    const waiting = await calls.dueDeliveries(webhook.id, now(), webhook.format === 'discord' ? maxBundle : 1)
    const bundle = bundleFor(webhook, waiting)
    const [first] = bundle
    if (first === undefined || stopping.aborted) return false
    const end = endFor(webhook, await post(webhook.url, await messageOf(webhook, bundle, now())))
    // The receiver may have it; it is sent again after the start, with the same id.
    if (stopping.aborted) return false
    await note(webhook, first, bundle, end)
    return true
  }

  const note = async (
    { id, name }: StoredWebhook,
    first: WaitingDelivery,
    bundle: readonly WaitingDelivery[],
    end: TryEnd,
  ) => {
    const { error, status } = end
    const at = now()
    const ids = bundle.map((one) => one.id)
    const seen = { at, ...(status !== undefined && { status }), ...(error !== undefined && { error }) }
    tried(error ?? 'delivered')
    if (error === undefined) {
      await calls.deliveriesTried({ ...seen, ids, isDelivered: true, counts: true })
      return
    }
    const again = first.isSingle ? { counts: true } : tryAgain(first, end, at, random())
    // The other lines of a bundle whose first one is given up are tried separately.
    const failed = again.nextAt === undefined ? [first.id] : ids
    await calls.deliveriesTried({ ...seen, ...again, ids: failed, isDelivered: false })
    if (error === 'gone') {
      await calls.disableWebhook(id, at)
      changed()
      log.warn({ webhook: id, name, status }, 'a webhook is turned off: its receiver no longer exists')
    } else if (again.nextAt === undefined && !first.isSingle)
      log.warn({ webhook: id, name, error, status }, 'a delivery of a webhook is given up')
  }

  const drain = async (webhook: StoredWebhook) => {
    try {
      while (await sendNext(webhook));
    } catch {
      // The records do not answer, which they log themselves: tried again in a second.
    } finally {
      underWay.delete(webhook.id)
    }
  }

  return {
    /** Call this every second, and when something may be due: sends what is. @returns when the queues were examined */
    async look() {
      if (stopping.aborted) return
      const webhooks = known ?? (await list())
      for (const webhook of webhooks)
        if (webhook.disabledAt === undefined && !underWay.has(webhook.id))
          underWay.set(webhook.id, drain(webhook))
    },
    /** The webhooks have changed. */
    changed,
    /** Resolves when no attempt is pending any more. */
    idle: async () => void (await Promise.all(underWay.values())),
  }
}

/**
 * The deliveries to send together. After a refusal the first goes alone, so that one bad line does not affect others.
 */
function bundleFor(
  { format }: StoredWebhook,
  waiting: readonly WaitingDelivery[],
): readonly WaitingDelivery[] {
  if (format !== 'discord') return waiting
  return isRefused(waiting[0]?.status) ? waiting.slice(0, 1) : bundleOf(waiting)
}

/** Discord answers 404 for a webhook that was deleted. */
const endFor = ({ format }: StoredWebhook, end: TryEnd): TryEnd =>
  format === 'discord' && end.status === 404 ? { ...end, error: 'gone' } : end

async function messageOf(
  { format, secret }: StoredWebhook,
  bundle: readonly WaitingDelivery[],
  now: number,
): Promise<Message> {
  const [first] = bundle
  if (first === undefined) throw new Error('a bundle has at least one delivery')
  if (format === 'discord') return discordMessage(bundle)
  return format === 'text' ? textMessage(first) : standardMessage(first, secret ?? new Uint8Array(), now)
}
