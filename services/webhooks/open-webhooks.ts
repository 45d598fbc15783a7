/** The webhooks of a farm: from the events of the game to the receivers. */
import { lookup } from 'node:dns/promises'
import type { GameBridge } from '../../handlers/game-bridge.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { RateLimit } from '../../lib/rate-limit.ts'
import type { OwnRecords } from '../records/own-records.ts'
import { deliverWebhooks } from './deliver.ts'
import { farmEvents } from './farm-events.ts'
import { notifier } from './make-deliveries.ts'
import { poster } from './post.ts'
import { hostOf, type Resolve, receiverAddress } from './receiver-address.ts'

export interface WebhooksParts extends Pick<Clock, 'now' | 'monotonic' | 'random'> {
  readonly game: Pick<GameBridge, 'health' | 'status' | 'subscribe'>
  readonly records: Pick<OwnRecords, 'calls' | 'later' | 'onNewWebhook' | 'onWebhooks' | 'onThrottled'>
  readonly keepsChat: boolean
  /** `WEBHOOK_PRIVATE_HOSTS` */
  readonly privateHosts: readonly string[]
  readonly farmName: () => string | undefined
  /** Called after each attempt with its outcome. */
  readonly tried: (outcome: string) => void
  readonly log: Pick<Log, 'warn' | 'info'>
  /** The system's resolver unless given. */
  readonly resolve?: Resolve
}

/** Milliseconds of one attempt. */
const timeout = 15_000

export function openWebhooks(parts: WebhooksParts) {
  const { game, records, keepsChat, privateHosts, farmName, tried, log, now, monotonic, random } = parts
  const { resolve = (host) => lookup(host, { all: true }) } = parts
  const stopping = new AbortController()
  const address = receiverAddress(resolve, privateHosts)
  records.onNewWebhook((url) => address.refuses(hostOf(url)))
  const post = poster({
    address,
    timeout,
    stopping: stopping.signal,
    now,
  })
  const deliveries = deliverWebhooks({
    calls: records.calls,
    post,
    log,
    tried,
    now,
    random,
    stopping: stopping.signal,
  })
  const notify = notifier({
    makeDeliveries: (event, gathers) => records.calls.makeDeliveries(event, gathers),
    made: () => void deliveries.look(),
    farmName,
    now,
  })
  const stuckSince = {
    read: () => records.calls.keptNumber('stuckSince'),
    keep: (since: number | undefined) => records.later.keepNumber('stuckSince', since),
  }
  const events = farmEvents({ game, notify, keepsChat, stuckSince, now, monotonic })
  // An edge under hostile control could send any number of these.
  const throttled = new RateLimit(1, monotonic)
  records.onThrottled((address) => {
    if (throttled.take('all') === 0) notify('key.throttled', { address })
  })
  records.onWebhooks(() => {
    deliveries.changed()
    void deliveries.look()
  })
  return {
    notify,
    /** Call this every second. */
    async tick() {
      await Promise.all([events.tick(), deliveries.look()])
    },
    /** Ends pending attempts; their deliveries are sent again after the next start. */
    async close() {
      events.close()
      stopping.abort()
      await deliveries.idle()
    },
  }
}
