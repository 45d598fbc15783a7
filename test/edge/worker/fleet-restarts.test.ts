/** Restarts at many farms are followed to their ends. */
import { reset, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, expect, test } from 'vitest'
import { type FleetActions, fleetActions } from '../../../services/fleet/actions.ts'
import { eventually } from '../../wait.ts'

afterEach(reset)

interface Operation {
  state: string
  error?: string
}

/** A fleet whose farms restart as `operations` says; a farm without one cannot be reached. */
async function withFleet(run: (fleet: Restarts) => Promise<void>) {
  await runInDurableObject(env.FLEET.getByName('fleet'), async (_object, { storage: { sql } }) => {
    const operations: Record<string, Operation> = {}
    const begun: string[] = []
    let now = Date.now()
    let newest = 0
    const opened = () => {
      newest += 1
      const own = newest
      return fleetActions({
        sql,
        farms: () => [],
        async call(farm, { endpoint }) {
          const operation = operations[farm]
          if (endpoint.method === 'POST') {
            begun.push(farm)
            operations[farm] = { state: 'stopping' }
            return { json: { operation: { id: `of-${farm}` } } }
          }
          if (operation === undefined) throw new Error('no answer')
          return { json: { operations: [{ id: `of-${farm}`, ...operation }] } }
        },
        failed(cause) {
          throw cause
        },
        newId: () => 'an-action',
        now: () => now,
        // An object that was replaced does nothing more.
        pause: () => new Promise((resolve) => setTimeout(() => own === newest && resolve(true), 5)),
      })
    }
    for (const farm of ['a', 'b', 'c'])
      sql.exec('INSERT INTO farms (farm, createdAt) VALUES (?, ?)', farm, new Date().toISOString())
    const later = (ms: number) => {
      now += ms
    }
    await run({ actions: opened(), opened, operations, begun, later })
  })
}

interface Restarts {
  readonly actions: FleetActions
  opened(): FleetActions
  readonly operations: Record<string, Operation>
  readonly begun: readonly string[]
  later(ms: number): void
}

const begin = ({ actions }: Restarts, more: object = {}) =>
  actions.begin(
    { action: 'restart', farms: ['a', 'b', 'c'], arguments: {}, atOnce: 1, ...more },
    { requestId: 'r', address: '', parameters: {}, at: 0 },
  )
const ended = (actions: FleetActions) =>
  eventually(() => {
    const action = actions.action('an-action')
    expect(action?.state).toBe('ended')
    return action?.outcomes
  })
/** Long enough for many looks. */
const aWhile = () => new Promise((resolve) => setTimeout(resolve, 100))

test('a rolling restart begins at the next farm when the one before has ended', () =>
  withFleet(async (fleet) => {
    begin(fleet)
    await aWhile()
    expect(fleet.begun).toEqual(['a'])
    expect(fleet.actions.action('an-action')).toEqual({ state: 'running', outcomes: [] })
    fleet.operations['a'] = { state: 'succeeded' }
    await eventually(() => expect(fleet.begun).toEqual(['a', 'b']))
    await aWhile()
    expect(fleet.begun).toEqual(['a', 'b'])
    fleet.operations['b'] = { state: 'succeeded' }
    await eventually(() => expect(fleet.begun).toEqual(['a', 'b', 'c']))
    fleet.operations['c'] = { state: 'cancelled' }
    expect(await ended(fleet.actions)).toEqual([
      { farm: 'a', outcome: 'succeeded' },
      { farm: 'b', outcome: 'succeeded' },
      { farm: 'c', outcome: 'failed', detail: 'The restart was cancelled' },
    ])
  }))

test('a game that does not start again counts as a failure, and stops the rest', () =>
  withFleet(async (fleet) => {
    begin(fleet, { stopAfterFailures: 1 })
    await eventually(() => expect(fleet.begun).toEqual(['a']))
    fleet.operations['a'] = { state: 'failed', error: 'A mod cannot be loaded' }
    expect(await ended(fleet.actions)).toMatchObject([
      { farm: 'a', outcome: 'failed', detail: 'A mod cannot be loaded' },
      { farm: 'b', outcome: 'skipped' },
      { farm: 'c', outcome: 'skipped' },
    ])
  }))

test('a restart that waits for players keeps the next farm waiting for five minutes', () =>
  withFleet(async (fleet) => {
    begin(fleet, { farms: ['a', 'b'] })
    await eventually(() => expect(fleet.begun).toEqual(['a']))
    fleet.operations['a'] = { state: 'waiting' }
    await aWhile()
    expect(fleet.begun).toEqual(['a'])
    fleet.later(5 * 60_000 + 1)
    await eventually(() => expect(fleet.begun).toEqual(['a', 'b']))
    fleet.operations['b'] = { state: 'succeeded' }
    expect(await ended(fleet.actions)).toEqual([
      { farm: 'a', outcome: 'succeeded', detail: 'Operation of-a waits for the time to restart' },
      { farm: 'b', outcome: 'succeeded' },
    ])
  }))

test('a farm that cannot be reached is asked again, and is a failure after 90 minutes', () =>
  withFleet(async (fleet) => {
    begin(fleet, { farms: ['a'] })
    await eventually(() => expect(fleet.begun).toEqual(['a']))
    delete fleet.operations['a']
    await aWhile()
    expect(fleet.actions.isRunning).toBe(true)
    fleet.later(90 * 60_000 + 1)
    expect(await ended(fleet.actions)).toMatchObject([
      { farm: 'a', outcome: 'failed', detail: expect.stringContaining('unknown') },
    ])
  }))

test('an edge that was restarted continues to follow, and restarts no farm twice', () =>
  withFleet(async (fleet) => {
    begin(fleet, { farms: ['a', 'b'] })
    await eventually(() => expect(fleet.begun).toEqual(['a']))
    await aWhile()
    const after = fleet.opened()
    after.resume()
    fleet.operations['a'] = { state: 'succeeded' }
    await eventually(() => expect(fleet.begun).toEqual(['a', 'b']))
    fleet.operations['b'] = { state: 'succeeded' }
    expect(await ended(after)).toEqual([
      { farm: 'a', outcome: 'succeeded' },
      { farm: 'b', outcome: 'succeeded' },
    ])
  }))

test('an outcome that a later release stored is a failure that says so, and stalls no look', () =>
  withFleet(async (fleet) => {
    begin(fleet, { farms: ['unknown'] })
    await ended(fleet.actions)
    await runInDurableObject(env.FLEET.getByName('fleet'), (_object, { storage: { sql } }) => {
      sql.exec("UPDATE actionFarms SET outcome = 'postponed'")
    })
    expect(fleet.actions.action('an-action')?.outcomes).toEqual([
      { farm: 'unknown', outcome: 'failed', detail: 'The edge could not read what it stored of this farm' },
    ])
  }))
