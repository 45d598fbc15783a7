/**
 * Random operations on a game that is hostile at times, by a farmgate that is killed at any moment. The clock is moved by
 * hand; the operations, their records and their start after a kill are the real ones.
 */

import { FarmError, type FarmFailure } from '../../../handlers/farm-error.ts'
import type { GameHost, GameProcess } from '../../../handlers/game-host.ts'
import type { HostOperation } from '../../../handlers/host-record.ts'
import { openHost } from '../../../services/host/open-host.ts'
import { longestNight } from '../../../services/host/operation.ts'
import { manualClock } from '../../bridges/manual-clock.ts'
import { silent } from '../../logs.ts'
import { seededRandom } from '../../platform/seeded.ts'
import { memoryOwnRecords } from '../../records/memory-records.ts'
import { aGame } from './a-game.ts'
import { asItIs } from './farm-host.ts'
import { noResources } from './no-resources.ts'

interface Outcome {
  readonly operations: number
  readonly kills: number
  readonly nights: number
  readonly stops: number
  /** How many ended in each state. */
  readonly ends: Readonly<Record<string, number>>
  /** The broken promises. */
  readonly faults: readonly string[]
}

const minute = 60_000
/** Lets all pending work continue as far as it can without time. */
const settled = async () => {
  for (let turn = 0; turn < 8; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

/** @param seed operations of the same seed are the same */
export async function simulateOperations(seed: number, count: number): Promise<Outcome> {
  const random = seededRandom(seed)
  const chance = (share: number) => random() < share
  const oneOf = <T>(choices: readonly [T, ...T[]]): T =>
    choices[Math.floor(random() * choices.length)] ?? choices[0]
  const clock = manualClock()
  const records = memoryOwnRecords(clock.now)
  const game = aGame()
  const faults: string[] = []
  const ends: Record<string, number> = {}
  let [kills, nights, stops, runs] = [0, 0, 0, 1]
  let process: GameProcess['state'] = 'running'
  /** When the night began, when it ends, and when a game that starts answers; in milliseconds of the clock. */
  let night: { readonly from: number; readonly to: number } | undefined
  let answersAt = 0
  /** Of the operation under way. */
  let isForced = false
  const unavailable = () => new FarmError({ kind: 'host_unavailable', sentence: 'The host refuses' })

  const takesTime = () =>
    new Promise<void>((resolve) => void clock.after(oneOf([0, 0, 3, 20]) * 1000, resolve))

  const driver: GameHost = {
    driver: 'docker',
    usage: async () => undefined,
    can: { console: false, log: true },
    async inspect() {
      if (chance(0.03)) throw unavailable()
      return { state: process, ...(seed % 2 === 0 && { run: String(runs) }) }
    },
    async start() {
      await takesTime()
      if (chance(0.05)) throw unavailable()
      if (process === 'running') return
      process = 'running'
      runs += 1
      answersAt = clock.now() + oneOf([1, 20, 120, 700, 1e9]) * 1000
    },
    async stop() {
      stops += 1
      const isSaving = night !== undefined && process === 'running'
      if (isSaving && !(isForced && clock.now() - (night?.from ?? 0) >= longestNight))
        faults.push(`stopped in a night of ${clock.now() - (night?.from ?? 0)} ms`)
      await takesTime()
      if (chance(0.05)) throw unavailable()
      process = 'stopped'
      night = undefined
    },
    log: async () => [{ text: 'a line' }],
    follow: () => () => undefined,
    type: () => Promise.reject(unavailable()),
    close() {},
  }
  const backups = {
    makeBackup: () =>
      Promise.reject(
        new FarmError(
          oneOf<FarmFailure>([
            { kind: 'unsupported', what: 'back up: there is no save' },
            { kind: 'disk_low' },
            { kind: 'save_in_progress' },
          ]),
        ),
      ),
  }
  const judge = ({ id, action, state, error }: HostOperation) => {
    ends[state] = (ends[state] ?? 0) + 1
    const isGone = process === 'stopped' || process === 'crashed'
    if (state === 'succeeded' && isGone !== (action === 'stop'))
      faults.push(`${action} ${id} succeeded, and the game is ${process}`)
    if (state === 'succeeded' && action !== 'stop' && !game.answers)
      faults.push(`${action} ${id} succeeded, and the game does not answer`)
    if (state === 'failed' && !error) faults.push(`${action} ${id} failed without a reason`)
  }
  const open = () => {
    const host = openHost({
      resources: async () => noResources,
      driver,
      game: game.game,
      backups,
      hasBackups: true,
      calls: records.calls,
      watchdog: () => ({ mode: 'off', restartsThisHour: 0 }),
      shouldRun: async () => undefined,
      preparation: () => asItIs,
      clean: (line) => line,
      notify: () => undefined,
      restarted: () => undefined,
      newId: () => `${seed}-${Math.floor(random() * 1e12)}`,
      clock,
      log: silent,
    })
    host.onEnded(judge)
    return host
  }
  /** A second passes in the game. */
  const live = () => {
    clock.advance(1000)
    if (night !== undefined && clock.now() >= night.to) night = undefined
    if (night === undefined && process === 'running' && game.answers && chance(0.03)) {
      nights += 1
      night = { from: clock.now(), to: clock.now() + oneOf([5, 20, 60, 1e9]) * 1000 }
    }
    if (process === 'running' && chance(0.002)) process = 'crashed'
    if (process !== 'running') night = undefined
    if (chance(0.05)) game.players = oneOf([0, 0, 1, 3])
    game.answers = process === 'running' && clock.now() >= answersAt
    // In half of the farms the status shows the night, in the others only that it stands still.
    game.isSaving = night !== undefined && seed % 3 === 0
    game.isStale = night !== undefined && seed % 3 !== 0
  }

  let host = open()
  let operations = 0
  while (operations < count || host.operation !== undefined) {
    live()
    await host.tick()
    await settled()
    if (chance(host.operation === undefined ? 0.002 : 0.02)) {
      kills += 1
      host.close()
      if (chance(0.3)) for (let second = 0; second < 60; second += 1) live()
      host = open()
      await settled()
    }
    const under = host.operation
    if (under === undefined && operations < count && chance(0.2)) {
      const force = chance(0.3)
      const request = {
        when: oneOf(['now', 'now', 'empty', 'night'] as const),
        warnMinutes: oneOf([[], [1], [5, 1]]),
        backup: chance(0.5),
        force,
      }
      isForced = force
      const action = process === 'running' ? oneOf(['stop', 'restart', 'restart'] as const) : 'start'
      await host.port.beginOperation(action, request, { id: 'api_key', name: 'API_KEY' }).then(
        () => {
          operations += 1
        },
        (error: unknown) => {
          if (!(error instanceof FarmError)) throw error
        },
      )
      await settled()
    } else if (under !== undefined && chance(under.state === 'waiting' ? 0.01 : 0.001))
      await host.port.cancelOperation(under.id).catch((error: unknown) => {
        if (!(error instanceof FarmError && error.failure.kind === 'too_late')) throw error
      })
    // A game that hangs for ever is killed by its operator, as a farm without one is by its machine.
    if (under === undefined && process === 'running' && !game.answers && chance(0.02)) process = 'crashed'
    if (under === undefined && night !== undefined && clock.now() - night.from > 20 * minute)
      process = 'crashed'
  }
  const unended = await records.calls.openHostOperations()
  if (unended.length > 0) faults.push(`${unended.length} operations have not ended`)
  host.close()
  return { operations, kills, nights, stops, ends, faults }
}
