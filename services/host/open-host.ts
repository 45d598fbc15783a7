/** The game's process: what its host reports of it, its log, and the operations on it, with the driver that `GAME_HOST` chooses. */
import type { Backups } from '../../handlers/backups.ts'
import { FarmError } from '../../handlers/farm-error.ts'
import type { GameBridge } from '../../handlers/game-bridge.ts'
import { type GameHost, type GameProcess, isGone } from '../../handlers/game-host.ts'
import type { GameHostRecord } from '../../handlers/game-host-record.ts'
import type { Host } from '../../handlers/host.ts'
import type { HostOperation, HostRequest } from '../../handlers/host-record.ts'
import { isoTime } from '../../handlers/iso-time.ts'
import type { Resources } from '../../handlers/resources.ts'
import type { StartPlan } from '../../handlers/start-plan.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { KeeperCalls } from '../records/keeper.ts'
import type { Notify } from '../webhooks/make-deliveries.ts'
import { knownFacts } from './facts.ts'
import { gameLog, linesOrNone } from './game-log.ts'
import { failureOfInterrupted, foundProcess } from './interrupted.ts'
import { begin, canCancel } from './operation.ts'
import type { Preparation } from './preparation.ts'
import { operationRunner } from './run-operation.ts'

export interface HostParts {
  readonly driver: GameHost
  readonly game: Pick<GameBridge, 'health' | 'status' | 'announce' | 'sendChat'>
  readonly backups: Pick<Backups, 'makeBackup'>
  /** Backups are set up (`SAVES_DIR`). */
  readonly hasBackups: boolean
  readonly calls: Pick<
    KeeperCalls,
    'hostOperations' | 'openHostOperations' | 'hostRestarts' | 'putHostOperation'
  >
  /** The watchdog's report on itself. */
  readonly watchdog: () => GameHostRecord['watchdog']
  /** Whether the game is to run (`Watch`); undefined where that is not known. */
  readonly shouldRun: () => Promise<boolean | undefined>
  /** What the game loads at a start. @param plan of an operation that changes it */
  readonly preparation: (
    by: HostOperation['by'],
    request: Pick<HostRequest, 'force'>,
    plan?: StartPlan,
  ) => Preparation
  /** What the machine and the game use. */
  readonly resources: () => Promise<Resources>
  /** Makes a line of the game's log harmless. */
  readonly clean: (line: string) => string
  readonly notify: Notify
  /** A restart has succeeded. @param by who asked for it, as metrics name it */
  readonly restarted: (by: 'key' | 'schedule' | 'watchdog') => void
  readonly newId: () => string
  readonly clock: Clock
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>
}

export type OpenHost = ReturnType<typeof openHost>

/** Maximum of log lines in a failed operation. */
const shownLines = 20

export function openHost(parts: HostParts) {
  const {
    driver,
    game,
    backups,
    hasBackups,
    calls,
    watchdog,
    shouldRun,
    preparation,
    resources,
    clean,
    notify,
    restarted,
    newId,
    clock,
    log,
  } = parts
  const known = knownFacts({ driver, game, monotonic: clock.monotonic })
  const printed = gameLog(driver, clean, clock)
  const listeners: ((operation: HostOperation) => void)[] = []
  const runner = operationRunner({
    driver,
    game,
    backups,
    calls,
    known,
    lastLines: () => linesOrNone(printed, shownLines),
    ended,
    clock,
    log,
  })
  let isClosed = false
  /** Of the newest operation; each time is greater, even if the clock goes back. */
  let newestAt = 0

  function ended(operation: HostOperation, isSchedule: boolean): void {
    const { action, state, by, reason } = operation
    const isWatchdog = by.id === 'watchdog'
    // The watchdog starts a game that has crashed.
    if ((action === 'restart' || (action === 'start' && isWatchdog)) && state === 'succeeded') {
      restarted(isSchedule ? 'schedule' : isWatchdog ? 'watchdog' : 'key')
      notify('game.restarted', { by: by.name, ...(reason !== undefined && { reason }) })
    }
    for (const listener of listeners) listener(operation)
  }

  // The first turn: every operation of this process waits for its end.
  void runner.inTurn(async () => {
    try {
      newestAt = (await calls.hostOperations())[0]?.at ?? 0
      const parts = { known, clock, isClosed: () => isClosed }
      for (const stored of await calls.openHostOperations()) {
        const { plan, operation } = stored
        const prepared = preparation(operation.by, { force: false }, plan)
        if (plan === undefined)
          await runner.settle(stored, prepared, () => failureOfInterrupted(stored, parts))
        else await runner.resume(stored, prepared, () => foundProcess(parts))
      }
    } catch (error) {
      log.error({ cause: String(error) }, 'operations on the game that were interrupted cannot be read')
    }
  })

  /** @throws {FarmError} operation_running */
  const refuseIfRunning = () => {
    const { operation } = runner
    if (operation !== undefined) throw new FarmError({ kind: 'operation_running', operation })
  }

  /** The driver knows neither operations before its start nor, of some hosts, an exit code. */
  const shownState = async (state: GameProcess['state']): Promise<GameProcess['state']> => {
    if (!isGone(state)) return state
    const isOperating = runner.operation !== undefined && runner.operation.state !== 'waiting'
    if (isOperating || watchdog().mode === 'off') return 'stopped'
    const should = await shouldRun()
    if (should === undefined) return state
    return should ? 'crashed' : 'stopped'
  }

  const processNow = async () => {
    const found = await known.inspect().catch(() => undefined)
    return { ...found, state: found === undefined ? ('unknown' as const) : await shownState(found.state) }
  }

  return {
    /** The game's process as `GET /host` shows it. @throws {FarmError} the records do not answer */
    process: processNow,
    /** The current operation. */
    get operation(): HostOperation | undefined {
      return runner.operation
    },
    /**
     * The host's present report on the process.
     * @throws {FarmError} host_unavailable
     */
    inspect: known.inspect,
    /** Calls the listener with each operation that has ended. */
    onEnded: (listener: (operation: HostOperation) => void) => void listeners.push(listener),
    /** Call this every second. */
    async tick() {
      printed.tick()
      await runner.tick()
    },
    /** Ends what can end; the next start ends a current operation. */
    close() {
      isClosed = true
      runner.close()
      printed.close()
      driver.close()
    },
    port: {
      async host() {
        const today = clock.now() - (clock.now() % 86_400_000)
        const [{ state, since, exitCode }, restartsToday, used] = await Promise.all([
          processNow(),
          calls.hostRestarts(today),
          resources(),
        ])
        return {
          driver: driver.driver,
          state,
          ...(since !== undefined && { since: isoTime(since) }),
          ...(exitCode !== undefined && { exitCode }),
          restartsToday,
          can: { ...driver.can },
          watchdog: watchdog(),
          resources: used,
          operation: runner.operation ?? null,
        }
      },
      async beginOperation(action, request, { isSchedule, ...by }, plan?) {
        // A long turn is not waited for.
        refuseIfRunning()
        return runner.inTurn(async () => {
          refuseIfRunning()
          const found = await known.inspect()
          if (action === 'start' && !isGone(found.state)) throw new FarmError({ kind: 'already_running' })
          const needsProcess = action === 'stop' || action === 'restart'
          if (needsProcess && isGone(found.state)) throw new FarmError({ kind: 'not_running' })
          newestAt = Math.max(clock.now(), newestAt + 1)
          const prepared = preparation(by, request, plan)
          const facts = {
            ...(await known.read()),
            beforeStart: await prepared.beforeStart(),
            isRightFarm: undefined,
          }
          const first = begin(action, request, facts, hasBackups)
          return runner.begin(
            {
              stored: {
                at: newestAt,
                ...(found.run !== undefined && { run: found.run }),
                ...(plan !== undefined && { plan }),
              },
              isSchedule,
              preparation: prepared,
              operation: {
                id: newId(),
                action,
                when: request.when,
                state: first.progress.state,
                requestedAt: isoTime(clock.now()),
                by,
                ...(request.reason !== undefined && { reason: request.reason }),
                steps: [],
              },
            },
            first,
          )
        })
      },
      operations: async () => (await calls.hostOperations()).map(({ operation }) => operation),
      async cancelOperation(id) {
        const { operation } = runner
        // Also during a long turn: nothing but this can be true of it.
        if (operation?.id === id && !canCancel(operation)) throw new FarmError({ kind: 'too_late' })
        return runner.inTurn(async () => {
          if (runner.operation?.id === id) return runner.cancel()
          const kept = await calls.hostOperations()
          if (!kept.some((one) => one.operation.id === id)) return undefined
          throw new FarmError({ kind: 'too_late' })
        })
      },
      hostLog: printed.last,
      hearLog: printed.hear,
      typeLine: printed.type,
    } satisfies Host,
  }
}
