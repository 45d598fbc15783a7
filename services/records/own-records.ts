/** The records as the farm's own process uses them: the port, and what only this process may read and write. */
import type { BegunWrite } from '../../handlers/audit-entry.ts'
import { FarmError, failureOf, lostAnswer } from '../../handlers/farm-error.ts'
import type { SamplesQuery } from '../../handlers/history-records.ts'
import { isoTime } from '../../handlers/iso-time.ts'
import type { Account } from '../../handlers/key-holder.ts'
import type { KeyRecord } from '../../handlers/key-record.ts'
import { auditRowWithin, type Records, type RecordsState } from '../../handlers/records.ts'
import type { Clock } from '../../lib/clock.ts'
import { hasEnded } from '../../lib/has-ended.ts'
import { withTimeLimit } from '../../lib/time-limit.ts'
import { type AuditRows, auditRows } from './audit-rows.ts'
import type { Origin } from './audit-table.ts'
import type { KeeperCalls } from './keeper.ts'
import type { StoredKey } from './keys-table.ts'
import { newKey } from './new-key.ts'
import { ownDiscord } from './own-discord.ts'
import { ownWebhooks } from './own-webhooks.ts'
import { readQueue } from './read-queue.ts'
import type { Tables } from './tables.ts'
import { requireAdded } from './within-limit.ts'

const minute = 60_000
const day = 1440 * minute

/** Milliseconds. */
const callBudget = 5_000
const rowCalls: ReadonlySet<string> = new Set<keyof Records>(['beganWrite', 'endedWrite', 'recordWrite'])
/** Calls that change nothing for a caller. */
const reads: ReadonlySet<string> = new Set<keyof Records>([
  'keys',
  'audit',
  'sessions',
  'playersSeen',
  'samples',
  'days',
  'outages',
  'chat',
  'webhooks',
  'webhookDeliveries',
  'discordServers',
  'allowlist',
  'heardDiscord',
])

type RecordCalls = Omit<Records, 'state'>

type LaterCalls = {
  readonly [Name in keyof Tables['later']]: (...args: Parameters<Tables['later'][Name]>) => void
}

export type OwnRecords = ReturnType<typeof ownRecords>

export interface OwnRecordsParts extends Pick<Clock, 'now'> {
  readonly calls: KeeperCalls
  readonly state: () => RecordsState
  readonly randomBytes: (size: number) => Uint8Array
}

/**
 * Ids are microseconds since 1970, so those of two databases never collide, and grow even if a clock goes back.
 * @param last all are greater
 */
export const idsFrom = (now: () => number, last = 0) => {
  return () => {
    last = Math.max(last + 1, now() * 1000)
    return last
  }
}

export function ownRecords({ calls, state, now, randomBytes }: OwnRecordsParts) {
  let nextId = idsFrom(now)
  /** The clock may have been set back since the newest row of the audit was written. */
  const numberOn = async () => {
    const newest = await calls.newestWrite()
    nextId = idsFrom(now, Math.max(newest, nextId()))
  }
  const listeners: ((keys: readonly StoredKey[]) => void)[] = []
  const webhookListeners: (() => void)[] = []
  const webhooksChanged = () => {
    for (const listener of webhookListeners) listener()
  }
  const receiverChecks: ((url: URL) => boolean)[] = []
  const throttledListeners: ((address: string) => void)[] = []
  // A key for less than a day is for one visit: it leaves the list when it ends, or visits would fill the list.
  const isListed = (key: StoredKey) => !hasEnded(key, now()) || (key.expiresAt ?? 0) - key.createdAt >= day
  const allKeys = async () => [
    ...(await calls.storedKeys()).filter(isListed),
    ...(await calls.storedSessions(now())),
  ]
  const sendKeys = async () => {
    const keys = await allKeys()
    for (const listener of listeners) listener(keys)
  }
  const read = readQueue()
  const discord = ownDiscord({ calls, now, randomBytes })
  void numberOn().catch(() => undefined)
  const rowsOfOrigins: AuditRows[] = []
  const sendRows = () => {
    for (const rows of rowsOfOrigins) rows.sendNow()
  }
  const begun = (write: BegunWrite, origin: Origin, rows: AuditRows): number => {
    const id = nextId()
    rows.began({ ...write, id, at: now(), origin })
    if (write.action === 'wrongKey') for (const listener of throttledListeners) listener(write.address)
    return id
  }
  const asked = (origin: Origin, rows: AuditRows): RecordCalls => ({
    async keys() {
      const people = await calls.storedAccounts(now())
      return (await allKeys()).map((one) => keyRecordOf(one, people))
    },
    async makeKey(request, maker) {
      const { key, stored } = newKey(request, now(), randomBytes)
      const madeBy =
        maker?.account?.id ?? (await calls.storedKeys()).find(({ id }) => id === maker?.id)?.madeBy
      const made = { ...stored, ...(madeBy !== undefined && { madeBy }) }
      requireAdded('keys', await calls.addKey(made))
      await sendKeys()
      return { ...keyRecordOf(made, await calls.storedAccounts(now())), key }
    },
    async revokeKey(id) {
      const isRevoked = await calls.revokeKey(id, now())
      if (isRevoked) await sendKeys()
      return isRevoked
    },
    async usedKey(id) {
      await calls.usedKey(id, now())
    },
    beganWrite: async (write) => begun(write, origin, rows),
    endedWrite: (id, end) => rows.ended({ id, origin, end }),
    recordWrite: async (write, end) => rows.ended({ id: begun(write, origin, rows), origin, end }),
    fleetChanged: (change) => calls.fleetChanged(nextId(), change),
    audit: (query) =>
      read('audit', query, (wanted) => {
        sendRows()
        return calls.audit(wanted)
      }),
    sessions: (query) => read('sessions', query, calls.sessions),
    playersSeen: () => read('playersSeen', undefined, () => calls.playersSeen()),
    samples: (query) => read('samples', untilNextMinute(query), calls.samples),
    days: (query) => read('days', query, calls.days),
    outages: (from) => read('outages', from, calls.outages),
    chat: (query) => read('chat', query, calls.chat),
    allowlist: () => calls.allowlist(),
    setAllowlist: (accounts) => calls.setAllowlist(accounts),
    ...ownWebhooks({
      calls,
      changed: webhooksChanged,
      isRefused: (url) => receiverChecks.some((refuses) => refuses(url)),
      now,
      randomBytes,
    }),
    ...discord,
  })
  return {
    /** Calls in addition to the port. */
    calls,
    /** Call this after a change of accounts or sessions, and now and then: an end without use moves with each use. */
    keysChanged: sendKeys,
    /** Writes that are made within a second without an answer; never throws. */
    later: laterOf(calls),
    /** Sends the rows of the audit that wait for the end of the turn; call this before closing the thread. */
    sendRows,
    /** The port. @param origin of the writes that go through it */
    of(origin: Origin): Records {
      // Each origin has its own, so that a wrong row of the edge fails with rows of the edge only.
      const rows = auditRows(calls.audited)
      rowsOfOrigins.push(rows)
      return { state, ...inTime(asked(origin, rows)) }
    },
    /**
     * Call this when another database is used: reads the named keys again, and sends them to the listeners; ids continue
     * from its newest.
     */
    databaseChanged() {
      webhooksChanged()
      void numberOn().catch(() => undefined)
      void sendKeys().catch(() => undefined)
    },
    /** Asks about the address of each new webhook, which is not made when it is refused. */
    onNewWebhook: (refuses: (url: URL) => boolean) => void receiverChecks.push(refuses),
    /** Calls the listener after each change of the webhooks, and when a delivery is due at once. */
    onWebhooks: (listener: () => void) => void webhookListeners.push(listener),
    /** Calls the listener with each address whose wrong keys the limit refuses. */
    onThrottled: (listener: (address: string) => void) => void throttledListeners.push(listener),
    /** Calls the listener with all named keys and sessions, now and after each change of them. */
    onKeys(listener: (keys: readonly StoredKey[]) => void) {
      listeners.push(listener)
      void allKeys().then(listener, () => undefined)
    },
  }
}

/**
 * Limits the time of every call: a thread may hang with its disk, or have ended. A requested write may still be made.
 */
function inTime(port: RecordCalls): RecordCalls {
  const timed = Object.entries<(...args: never[]) => Promise<unknown>>(port).map(([name, call]) => {
    const lost = () => new FarmError(failureOf('records', lostAnswer(reads.has(name) ? 'read' : 'write')))
    const budget = rowCalls.has(name) ? auditRowWithin : callBudget
    return [
      name,
      (...args: never[]) =>
        withTimeLimit(budget, call(...args), lost).catch((error: unknown) => {
          throw isRefusal(error) ? error : lost()
        }),
    ]
  })
  // The compiler cannot infer that the object has the calls of the port.
  return Object.fromEntries(timed) as RecordCalls
}

const isRefusal = (error: unknown) =>
  error instanceof FarmError &&
  ['too_many', 'invalid_argument', 'refused_address'].includes(error.failure.kind)

/** Samples are those of whole minutes, so reads until now, all within one minute, are equal. */
const untilNextMinute = ({ to, ...rest }: SamplesQuery): SamplesQuery => ({
  ...rest,
  to: Math.ceil(to / minute) * minute,
})

const laterOf = (calls: KeeperCalls): LaterCalls =>
  new Proxy({} as LaterCalls, {
    get:
      (_target, name: keyof LaterCalls) =>
      (...args: never[]) => {
        const call = calls[name] as (...all: never[]) => Promise<unknown>
        // The caller has already logged the failure.
        void call(...args).catch(() => undefined)
      },
  })

const keyRecordOf = (
  { id, name, scopes, createdAt, expiresAt, lastUsedAt, account, madeBy }: StoredKey,
  people: readonly Account[],
): KeyRecord => ({
  id,
  name,
  scopes: [...scopes],
  createdAt: isoTime(createdAt),
  ...(expiresAt !== undefined && { expiresAt: isoTime(expiresAt) }),
  ...(lastUsedAt !== undefined && { lastUsedAt: isoTime(lastUsedAt) }),
  ...(account !== undefined && { account }),
  ...people
    .filter((one) => one.id === madeBy)
    .map(({ id, provider, name }) => ({ madeBy: { id, provider, name } }))[0],
})
