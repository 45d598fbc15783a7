/**
 * The actions at many farms, stored by the fleet object. Each farm is called once: its row says so before the call, so
 * a call that was under way when the object ended is not repeated. A restart is followed to its end, so that no more
 * farms than `atOnce` are down together and a release that does not start stops the rest.
 */

import * as v from 'valibot'
import { hostOperations } from '../../handlers/endpoints/host-operations.ts'
import { scheduledCall } from '../../handlers/endpoints/scheduled-endpoints.ts'
import {
  type FarmOutcome,
  type FleetAction,
  type FleetActionRequest,
  type FleetActionSummary,
  farmOutcome,
  fleetActionRequest,
  fleetActionSummary,
} from '../../handlers/fleet-action.ts'
import type { Clock } from '../../lib/clock.ts'
import { checkForeign, foreignValue } from '../../lib/foreign/read.ts'
import { stringifyJson } from '../../lib/json.ts'
import type { FarmCall, FarmReply, FleetRequest } from './farm-call.ts'
import type { Sql } from './storage.ts'

/** Milliseconds for which an action is kept. */
const keptFor = 7 * 86_400_000
/** Maximum of kept actions that have ended. */
const maxKept = 100
/** Milliseconds between two looks at a restart: more and more. */
const looks = { first: 1000, max: 10_000 } as const
/** Milliseconds for a restart, of which warnings can take an hour. */
const restartTakes = 90 * 60_000
/** Milliseconds for which a restart that waits for players or for a night keeps the next farm waiting. */
const waitsFor = 5 * 60_000
/** Maximum of UTF-16 units in a detail: farms write them. */
const maxDetail = 300

const unread = 'The edge could not read what it stored of this farm'

const asker = v.object({ requestId: v.string(), address: v.string() })
/** The farms have rows of their own. */
const stored = v.object({ request: v.omit(fleetActionRequest, ['farms', 'tags']), asked: asker })
const begun = v.object({ operation: v.object({ id: v.pipe(v.string(), v.maxLength(64)) }) })
const operations = v.object({
  operations: v.array(
    v.object({ id: v.string(), state: v.string(), error: v.fallback(v.optional(v.string()), undefined) }),
  ),
})

export type FleetActions = ReturnType<typeof fleetActions>

interface FleetActionsParts extends Pick<Clock, 'now'> {
  readonly sql: Sql
  /** The listed farms, with their tags. */
  farms(): readonly { readonly farm: string; readonly tags: readonly string[] }[]
  call(farm: string, call: FarmCall, asked: v.InferOutput<typeof asker>): Promise<FarmReply>
  /** Called when an action could not continue; `resume` tries again. */
  failed(cause: unknown): void
  newId(): string
  /** @param ms milliseconds */
  pause(ms: number): Promise<unknown>
}

/** Makes its tables where they are missing. The table `farms` has the farms. */
export function fleetActions({ sql, farms, call, failed, newId, now, pause }: FleetActionsParts) {
  for (const table of [
    'CREATE TABLE IF NOT EXISTS actions (id TEXT PRIMARY KEY, what TEXT NOT NULL, at INTEGER NOT NULL, ended INTEGER NOT NULL) WITHOUT ROWID',
    // `outcome` is also `waiting`, `called` while the farm has not answered, or `begun` with the operation's id as detail.
    'CREATE TABLE IF NOT EXISTS actionFarms (id TEXT, farm TEXT, outcome TEXT NOT NULL, detail TEXT, PRIMARY KEY (id, farm)) WITHOUT ROWID',
  ])
    sql.exec(table)
  const running = new Set<string>()
  const rows = (query: string, ...values: (string | number)[]) => sql.exec(query, ...values).toArray()
  const notEnded = () => rows('SELECT id, what FROM actions WHERE ended = 0')
  const set = (id: string, farm: string, outcome: FarmOutcome['outcome'] | 'begun', detail = '') => {
    const short = detail.slice(0, maxDetail).toWellFormed()
    rows('UPDATE actionFarms SET outcome = ?, detail = ? WHERE id = ? AND farm = ?', outcome, short, id, farm)
    return outcome
  }
  const forgetOld = () => {
    const kept = 'SELECT id FROM actions WHERE ended = 1 AND at >= ? ORDER BY at DESC LIMIT ?'
    rows(`DELETE FROM actions WHERE ended = 1 AND id NOT IN (${kept})`, now() - keptFor, maxKept)
    rows('DELETE FROM actionFarms WHERE id NOT IN (SELECT id FROM actions)')
  }
  /** Ends an action: the farms that wait get this outcome. */
  const end = (id: string, outcome: FarmOutcome['outcome'], detail: string) => {
    rows(
      "UPDATE actionFarms SET outcome = ?, detail = ? WHERE id = ? AND outcome = 'waiting'",
      ...[outcome, detail, id],
    )
    rows('UPDATE actions SET ended = 1 WHERE id = ?', id)
    forgetOld()
  }

  async function callOne(id: string, farm: string, { request, asked }: v.InferOutput<typeof stored>) {
    const called =
      "UPDATE actionFarms SET outcome = 'called' WHERE id = ? AND farm = ? AND outcome = 'waiting' RETURNING farm"
    // It was deleted meanwhile.
    if (rows(called, id, farm).length === 0) return 'failed'
    try {
      const reply = await call(farm, scheduledCall({ ...request.arguments, action: request.action }), asked)
      if ('refused' in reply) return set(id, farm, 'failed', reply.refused.error)
      const operation = checkForeign(begun, reply.json)
      if (!operation.success) return set(id, farm, 'succeeded')
      set(id, farm, 'begun', operation.output.operation.id)
      return await follow(id, farm, operation.output.operation.id, asked)
    } catch (error) {
      return set(id, farm, 'failed', error instanceof Error ? error.message : String(error))
    }
  }

  /** Waits for the end of a restart. A farm that cannot be reached meanwhile is asked again. */
  async function follow(id: string, farm: string, operation: string, asked: v.InferOutput<typeof asker>) {
    const since = now()
    for (let look = 1; ; look += 1) {
      await pause(Math.min(looks.max, looks.first * 2 ** (look - 1)))
      const isBegun = "SELECT 1 FROM actionFarms WHERE id = ? AND farm = ? AND outcome = 'begun'"
      if (rows(isBegun, id, farm).length === 0) return 'failed'
      const reply = await call(farm, { endpoint: hostOperations, search: '' }, asked).catch(() => undefined)
      const read = checkForeign(operations, reply && 'json' in reply ? reply.json : undefined)
      const found = read.success ? read.output.operations.find((one) => one.id === operation) : undefined
      if (found?.state === 'succeeded') return set(id, farm, 'succeeded')
      if (found?.state === 'failed') return set(id, farm, 'failed', found.error ?? 'The restart has failed')
      if (found?.state === 'cancelled') return set(id, farm, 'failed', 'The restart was cancelled')
      if (found?.state === 'waiting' && now() - since > waitsFor)
        return set(id, farm, 'succeeded', `Operation ${operation} waits for the time to restart`)
      if (now() - since > restartTakes)
        return set(id, farm, 'failed', `Whether operation ${operation} has ended is unknown`)
    }
  }

  async function callAll(id: string, what: v.InferOutput<typeof stored>): Promise<void> {
    const farmsWith = (outcome: string) =>
      rows('SELECT farm, detail FROM actionFarms WHERE id = ? AND outcome = ?', id, outcome)
    const followed = farmsWith('begun').values()
    const waiting = farmsWith('waiting').values()
    let failures = farmsWith('failed').length
    const { atOnce, stopAfterFailures = Number.POSITIVE_INFINITY } = what.request
    const work = async () => {
      for (const { farm, detail } of followed)
        if ((await follow(id, String(farm), String(detail), what.asked)) === 'failed') failures += 1
      while (failures < stopAfterFailures) {
        const { value } = waiting.next()
        if (value === undefined) return
        if ((await callOne(id, String(value['farm']), what)) === 'failed') failures += 1
      }
    }
    await Promise.all(Array.from({ length: atOnce }, work))
    end(id, 'skipped', `Not called, because ${stopAfterFailures} farms had failed`)
  }

  function run(id: string, what: v.InferOutput<typeof stored>): void {
    running.add(id)
    void callAll(id, what)
      .catch(failed)
      .finally(() => running.delete(id))
  }

  /** The farms that a request names, or whose tags it names. */
  const farmsOf = ({ farms: named = [], tags = [] }: FleetActionRequest): readonly string[] => [
    ...named,
    ...farms().flatMap((one) => (one.tags.some((tag) => tags.includes(tag)) ? [one.farm] : [])),
  ]

  return {
    farmsOf,
    /** @returns the id of the action, which then runs; undefined when no farm is named and none has one of the tags */
    begin(request: FleetActionRequest, { requestId, address }: FleetRequest): string | undefined {
      const { farms: _farms, tags: _tags, ...rest } = request
      const chosen = farmsOf(request)
      if (chosen.length === 0) return undefined
      const id = newId()
      const what = { request: rest, asked: { requestId, address } }
      rows(
        'INSERT INTO actions (id, what, at, ended) VALUES (?, ?, ?, 0)',
        ...[id, stringifyJson(what), now()],
      )
      rows(
        `INSERT INTO actionFarms (id, farm, outcome, detail)
          SELECT ?, value, iif(isListed, 'waiting', 'failed'), iif(isListed, '', 'There is no farm of this name')
          FROM (SELECT DISTINCT value, value IN (SELECT farm FROM farms) AS isListed FROM json_each(?))`,
        id,
        stringifyJson(chosen),
      )
      run(id, what)
      return id
    },
    /** @returns undefined when there is no such action */
    action(id: string): FleetAction | undefined {
      const [found] = rows('SELECT ended FROM actions WHERE id = ?', id)
      if (found === undefined) return undefined
      const outcomes = rows(
        "SELECT farm, outcome, detail FROM actionFarms WHERE id = ? AND outcome NOT IN ('waiting', 'called', 'begun') ORDER BY farm",
        id,
      ).map(({ farm, outcome, detail }) =>
        v.parse(v.fallback(farmOutcome, { farm: String(farm), outcome: 'failed', detail: unread }), {
          farm,
          outcome,
          ...(Boolean(detail) && { detail }),
        }),
      )
      return { state: found['ended'] === 1 ? 'ended' : 'running', outcomes }
    },
    /** The kept actions, newest first, without those that cannot be read. */
    list: (): FleetActionSummary[] =>
      rows(
        `SELECT id, what, at, ended, count(farm) AS farms, sum(outcome = 'succeeded') AS succeeded,
          sum(outcome = 'failed') AS failed, sum(outcome = 'skipped') AS skipped
          FROM actions JOIN actionFarms USING (id) GROUP BY id ORDER BY at DESC`,
      ).flatMap(({ what, at, ended, ...counts }) => {
        const read = checkForeign(stored, foreignValue(String(what)))
        const state = ended === 1 ? 'ended' : 'running'
        const action = read.success ? read.output.request.action : undefined
        const one = { ...counts, action, at: new Date(Number(at)).toISOString(), state }
        return v.is(fleetActionSummary, one) ? [one] : []
      }),
    /** Continues the actions that ran when the object ended. Call this when it has woken. */
    resume() {
      for (const { id, what } of notEnded()) {
        const name = String(id)
        if (running.has(name)) continue
        rows(
          "UPDATE actionFarms SET outcome = 'failed', detail = ? WHERE id = ? AND outcome = 'called'",
          'The edge was restarted before the farm answered; whether it was done is unknown',
          name,
        )
        const read = checkForeign(stored, foreignValue(String(what)))
        if (read.success) run(name, read.output)
        else end(name, 'failed', 'The edge could not read what it stored of this action')
      }
    },
    /** Calls a deleted farm no more, also when a farm of its name is made. */
    forget: (farm: string) =>
      rows(
        "UPDATE actionFarms SET outcome = 'failed', detail = 'The farm was deleted' WHERE farm = ? AND outcome IN ('waiting', 'begun')",
        farm,
      ),
    /** Whether an action has not ended. */
    get isRunning(): boolean {
      return notEnded().length > 0
    },
  }
}
