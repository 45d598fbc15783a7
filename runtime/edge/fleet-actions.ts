/**
 * The actions at many farms, stored by the fleet object. Each farm is called once: its row says so before the call, so
 * a call that was under way when the object ended is not repeated.
 */
import * as v from 'valibot'
import { scheduledCall } from '../../handlers/endpoints/scheduled-endpoints.ts'
import {
  type FarmOutcome,
  type FleetAction,
  type FleetActionRequest,
  farmOutcome,
  fleetActionRequest,
} from '../../handlers/fleet-action.ts'
import { parseJson, stringifyJson } from '../../lib/json.ts'
import type { FleetRequest } from './fleet.ts'
import type { FarmCall, FarmReply } from './fleet-call.ts'

/** Milliseconds for which an action is kept. */
const keptFor = 7 * 86_400_000

const asker = v.object({ requestId: v.string(), address: v.string() })
const stored = v.object({ request: fleetActionRequest, asked: asker })
const begun = v.object({ operation: v.object({ id: v.string() }) })

export interface FleetActions {
  /** @returns the id of the action, which then runs */
  begin(request: FleetActionRequest, asked: FleetRequest): string
  /** @returns undefined when there is no such action */
  action(id: string): FleetAction | undefined
  /** Continues the actions that ran when the object ended. Call this when it has woken. */
  resume(): void
  /** Whether an action has not ended. */
  readonly isRunning: boolean
}

interface FleetActionsParts {
  readonly sql: SqlStorage
  /** The listed farms, with their tags. */
  farms(): readonly { readonly farm: string; readonly tags: readonly string[] }[]
  isListed(farm: string): boolean
  call(farm: string, call: FarmCall, asked: v.InferOutput<typeof asker>): Promise<FarmReply>
  newId(): string
  /** Milliseconds since 1970. */
  now(): number
}

/** Makes its tables where they are missing. */
export function fleetActions({ sql, farms, isListed, call, newId, now }: FleetActionsParts): FleetActions {
  for (const table of [
    'CREATE TABLE IF NOT EXISTS actions (id TEXT PRIMARY KEY, what TEXT NOT NULL, at INTEGER NOT NULL, ended INTEGER NOT NULL) WITHOUT ROWID',
    // `outcome` is also `waiting`, or `called` while the farm has not answered.
    'CREATE TABLE IF NOT EXISTS actionFarms (id TEXT, farm TEXT, outcome TEXT NOT NULL, detail TEXT, PRIMARY KEY (id, farm)) WITHOUT ROWID',
  ])
    sql.exec(table)
  const running = new Set<string>()
  const rows = (query: string, ...values: (string | number)[]) => sql.exec(query, ...values).toArray()
  const notEnded = () => rows('SELECT id, what FROM actions WHERE ended = 0')
  const set = (id: string, farm: string, outcome: FarmOutcome['outcome'] | 'called', detail?: string) =>
    rows(
      'UPDATE actionFarms SET outcome = ?, detail = ? WHERE id = ? AND farm = ?',
      ...[outcome, detail ?? '', id, farm],
    )
  const failed = (id: string) =>
    rows("SELECT 1 FROM actionFarms WHERE id = ? AND outcome = 'failed'", id).length
  const forgetOld = () => {
    for (const { id } of rows('SELECT id FROM actions WHERE ended = 1 AND at < ?', now() - keptFor))
      for (const table of ['actions', 'actionFarms']) rows(`DELETE FROM ${table} WHERE id = ?`, String(id))
  }

  async function callOne(id: string, farm: string, { request, asked }: v.InferOutput<typeof stored>) {
    if (!isListed(farm)) return set(id, farm, 'failed', 'There is no farm of this name')
    set(id, farm, 'called')
    try {
      const reply = await call(farm, scheduledCall({ ...request.arguments, action: request.action }), asked)
      if ('refused' in reply) return set(id, farm, 'failed', reply.refused.error)
      const operation = v.safeParse(begun, reply.json)
      const detail = operation.success ? `Operation ${operation.output.operation.id} has begun` : undefined
      return set(id, farm, 'succeeded', detail)
    } catch (error) {
      return set(id, farm, 'failed', error instanceof Error ? error.message : String(error))
    }
  }

  async function run(id: string, what: v.InferOutput<typeof stored>): Promise<void> {
    running.add(id)
    const waiting = rows("SELECT farm FROM actionFarms WHERE id = ? AND outcome = 'waiting'", id)
    const { atOnce, stopAfterFailures = Number.POSITIVE_INFINITY } = what.request
    const work = async () => {
      while (failed(id) < stopAfterFailures) {
        const next = waiting.shift()
        if (next === undefined) return
        await callOne(id, String(next['farm']), what)
      }
    }
    await Promise.all(Array.from({ length: atOnce }, work))
    const skipped = `Not called, because ${stopAfterFailures} farms had failed`
    rows(
      "UPDATE actionFarms SET outcome = 'skipped', detail = ? WHERE id = ? AND outcome = 'waiting'",
      skipped,
      id,
    )
    rows('UPDATE actions SET ended = 1 WHERE id = ?', id)
    running.delete(id)
  }

  return {
    begin(request, { requestId, address }) {
      forgetOld()
      const id = newId()
      const { farms: named = [], tags = [] } = request
      const tagged = farms().filter((one) => one.tags.some((tag) => tags.includes(tag)))
      const what = { request, asked: { requestId, address } }
      rows(
        'INSERT INTO actions (id, what, at, ended) VALUES (?, ?, ?, 0)',
        ...[id, stringifyJson(what), now()],
      )
      for (const farm of new Set([...named, ...tagged.map((one) => one.farm)]))
        rows("INSERT INTO actionFarms (id, farm, outcome) VALUES (?, ?, 'waiting')", id, farm)
      void run(id, what)
      return id
    },
    action(id) {
      const [found] = rows('SELECT ended FROM actions WHERE id = ?', id)
      if (found === undefined) return undefined
      const outcomes = rows(
        "SELECT farm, outcome, detail FROM actionFarms WHERE id = ? AND outcome NOT IN ('waiting', 'called') ORDER BY farm",
        id,
      ).map(({ farm, outcome, detail }) =>
        v.parse(farmOutcome, { farm, outcome, ...(Boolean(detail) && { detail }) }),
      )
      return { state: found['ended'] === 1 ? 'ended' : 'running', outcomes }
    },
    resume() {
      for (const { id, what } of notEnded()) {
        const name = String(id)
        if (running.has(name)) continue
        rows(
          "UPDATE actionFarms SET outcome = 'failed', detail = ? WHERE id = ? AND outcome = 'called'",
          'The edge was restarted before the farm answered; whether it was done is unknown',
          name,
        )
        void run(name, v.parse(stored, parseJson(String(what))))
      }
    },
    get isRunning() {
      return notEnded().length > 0
    },
  }
}
