/** Runs the watchdog: looks at the game, reports trouble, and restarts the game through the one dispatcher. */
import type { Endpoint } from '../../handlers/endpoint.ts'
import { cancelHostOperation } from '../../handlers/endpoints/cancel-host-operation.ts'
import { restartGame, startGame } from '../../handlers/endpoints/host-actions.ts'
import { makeBackup } from '../../handlers/endpoints/make-backup.ts'
import type { GameBridge } from '../../handlers/game-bridge.ts'
import type { GameProcess } from '../../handlers/game-host.ts'
import type { GameHostRecord } from '../../handlers/game-host-record.ts'
import { presentMoment } from '../../handlers/game-moment.ts'
import { isoTime, timeOf } from '../../handlers/iso-time.ts'
import type { OwnDispatch } from '../../handlers/own-call.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { OwnRecords } from '../records/own-records.ts'
import type { Notify } from '../webhooks/make-deliveries.ts'
import type { OpenHost } from './open-host.ts'
import { type Action, ended, look, notBegun, restartsThisHour, type Watch, type Watched } from './watchdog.ts'

export interface WatchdogParts {
  /** `GAME_WATCHDOG` */
  readonly mode: GameHostRecord['watchdog']['mode']
  /** `GAME_WATCHDOG_SECONDS` */
  readonly seconds: number
  readonly host: Pick<OpenHost, 'operation' | 'inspect' | 'onEnded' | 'port'>
  readonly game: Pick<GameBridge, 'health' | 'status'>
  /** Backups are set up. */
  readonly hasBackups: boolean
  /** Whether a start would create a new farm, which it then reports. Never rejects. */
  readonly heldBack: () => Promise<boolean>
  readonly dispatch: OwnDispatch
  readonly notify: Notify
  /** Counts trouble that was found. */
  readonly found: (trouble: 'crash' | 'hang') => void
  readonly records: Pick<OwnRecords, 'later'> & {
    readonly calls: Pick<OwnRecords['calls'], 'keptNumber'>
  }
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
  readonly log: Pick<Log, 'warn' | 'error'>
}

export type Watchdog = ReturnType<typeof watchGame>

const hour = 3_600_000
/** Milliseconds between two looks at the process of a game that answers. */
const inspectEvery = 10_000
/** The same of a game that does not answer. */
const inspectOften = 2_000

/** The endpoints that the watchdog calls. */
export const watchdogEndpoints = [makeBackup, startGame, restartGame, cancelHostOperation]

const holder = { id: 'watchdog', name: 'watchdog', ref: 'watchdog', scopes: ['control'] } as const

/** @param parts `mode` is not `off` */
export function watchGame(parts: WatchdogParts) {
  const { mode, seconds, host, game, hasBackups, heldBack, dispatch, notify, found, records, clock, log } =
    parts
  let watch: Watch | undefined
  let gaveUpAt: number | undefined
  let seen: { readonly at: number; readonly process: GameProcess | undefined } | undefined
  let isLooking = false
  /** Counts changes of the process. A look that began before one is out of date. */
  let changes = 0
  const changed = () => {
    seen = undefined
    changes += 1
  }
  /** Operations that ended before what the process before knew was read. */
  const early: Parameters<typeof ended>[2][] = []

  /** What the process before knew. @throws {FarmError} the records do not answer */
  async function remembered(): Promise<Watch> {
    const [should, gaveUp, operations] = await Promise.all([
      records.calls.keptNumber('gameShouldRun'),
      records.calls.keptNumber('watchdogGaveUpAt'),
      host.port.operations(),
    ])
    gaveUpAt = gaveUp
    const restarts = operations
      .filter(({ by }) => by.id === holder.id)
      .map(({ requestedAt }) => clock.now() - (timeOf(requestedAt) ?? 0))
      .filter((age) => age >= 0 && age < hour)
    return {
      mode: mode === 'restart' ? mode : 'notify',
      silence: seconds * 1000,
      shouldRun: should === undefined ? undefined : should === 1,
      hasAnswered: false,
      isNightReported: false,
      restarts: restarts.map((age) => clock.monotonic() - age),
      hasGivenUp: gaveUp !== undefined,
    }
  }

  async function inspected(isAnswering: boolean): Promise<GameProcess | undefined> {
    const at = clock.monotonic()
    const wait = isAnswering || seen?.process?.state !== 'running' ? inspectEvery : inspectOften
    // A game that no longer answers is looked at now.
    if (seen !== undefined && at - seen.at < wait) return seen.process
    const process = await host.inspect().catch(() => undefined)
    seen = { at, process }
    return process
  }

  function take({ watch: next, actions }: Watched): void {
    if (next.shouldRun !== watch?.shouldRun)
      records.later.keepNumber('gameShouldRun', next.shouldRun === true ? 1 : 0)
    if (gaveUpAt !== undefined && !next.hasGivenUp) {
      gaveUpAt = undefined
      records.later.keepNumber('watchdogGaveUpAt', undefined)
    }
    watch = next
    for (const action of actions) {
      if (action.do === 'restart') void restart(action.trouble)
      else report(action)
    }
  }

  function report(action: Exclude<Action, { do: 'restart' }>): void {
    if (action.do === 'give_up') {
      gaveUpAt = clock.now()
      records.later.keepNumber('watchdogGaveUpAt', gaveUpAt)
      notify('watchdog.gave_up', { restarts: watch ? restartsThisHour(watch, clock.monotonic()) : 0 })
      log.error({}, 'the watchdog has given up: it has restarted the game three times within an hour')
      return
    }
    const { trouble } = action
    const exitCode = seen?.process?.exitCode
    log.warn({ trouble, ...(exitCode !== undefined && { exitCode }) }, 'the watchdog has found trouble')
    found(trouble === 'crashed' ? 'crash' : 'hang')
    if (trouble === 'crashed') notify('game.crashed', { ...(exitCode !== undefined && { exitCode }) })
    else notify('game.hung', { cause: trouble })
  }

  const ask = ({ operationId }: Endpoint, request?: object, search = '') =>
    dispatch({
      operationId,
      search,
      ...(request !== undefined && { body: JSON.stringify(request) }),
      holder,
    })

  async function restart(trouble: 'crashed' | 'hung'): Promise<void> {
    if (await heldBack()) return
    const reason = trouble === 'crashed' ? 'The game has crashed' : 'The game does not answer'
    if (host.operation?.state === 'waiting')
      await ask(cancelHostOperation, undefined, `id=${host.operation.id}`)
    // A restart makes its own backup. Without one the game is started all the same.
    if (trouble === 'crashed' && hasBackups) await ask(makeBackup)
    const answer = await (trouble === 'crashed'
      ? ask(startGame, { reason })
      : ask(restartGame, { warnMinutes: [], force: true, reason }))
    if (!('problem' in answer)) return
    log.warn({ cause: answer.problem.message }, 'the watchdog could not restart the game')
    // It may run again: its host can have started it.
    changed()
    if (watch !== undefined) watch = notBegun(watch)
  }

  host.onEnded(({ action, state, by }) => {
    changed()
    const operation = { action, state, isOwn: by.id === holder.id }
    if (watch === undefined) early.push(operation)
    else take({ watch: ended(watch, clock.monotonic(), operation), actions: [] })
  })

  return {
    /** Whether the game is to run: a process that has ended all the same has crashed. */
    shouldRun: async () =>
      watch === undefined ? (await remembered().catch(() => undefined))?.shouldRun : watch.shouldRun,
    /** As `GET /host` shows it. */
    shown: (): GameHostRecord['watchdog'] => ({
      mode,
      restartsThisHour: watch === undefined ? 0 : restartsThisHour(watch, clock.monotonic()),
      ...(gaveUpAt !== undefined && { gaveUpAt: isoTime(gaveUpAt) }),
    }),
    /** Call it every second. */
    async tick() {
      if (isLooking) return
      isLooking = true
      try {
        if (watch === undefined) {
          watch = await remembered()
          for (const operation of early)
            take({ watch: ended(watch, clock.monotonic(), operation), actions: [] })
        }
        const before = changes
        const { status, moment } = await presentMoment(game)
        const isNight = status.isOnline ? moment === 'night' : undefined
        const isAnswering = moment !== 'offline' && moment !== 'frozen'
        const process = await inspected(isAnswering)
        if (changes !== before) {
          seen = undefined
          return
        }
        take(
          look(watch, {
            at: clock.monotonic(),
            process: process?.state ?? 'unknown',
            run: process?.run,
            age: process?.since === undefined ? undefined : clock.now() - process.since,
            isAnswering,
            isNight,
            // One that waits, for players to leave or for a night, does not look after a game that hangs.
            isOperating: host.operation !== undefined && host.operation.state !== 'waiting',
          }),
        )
      } catch {
        // The records do not answer, which they log themselves: it looks again in a second.
      } finally {
        isLooking = false
      }
    },
  }
}
