/**
 * Starts and stops the game's process: one operation at a time, with the driver that `GAME_HOST` chooses. Each state
 * of an operation is on the disk before its effect begins, so that a start after a crash can end it according to the
 * facts.
 */
import type { Backups } from '../../handlers/backups.ts'
import { backupBudgets } from '../../handlers/backups.ts'
import { FarmError } from '../../handlers/farm-error.ts'
import type { GameBridge } from '../../handlers/game-bridge.ts'
import type { GameHost, GameProcess } from '../../handlers/game-host.ts'
import type { Host } from '../../handlers/host.ts'
import type {
  GameHostRecord,
  HostOperation,
  HostRequest,
  OperationState,
} from '../../handlers/host-record.ts'
import { isoTime } from '../../handlers/iso-time.ts'
import { problemOf } from '../../handlers/problem.ts'
import { sayAsServer } from '../../handlers/say-as-server.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { oneAtATime } from '../../lib/one-at-a-time.ts'
import { withTimeLimit } from '../../lib/time-limit.ts'
import type { StoredOperation } from '../records/host-table.ts'
import type { KeeperCalls } from '../records/keeper.ts'
import type { Notify } from '../webhooks/make-deliveries.ts'
import { knownFacts } from './facts.ts'
import { type GameLog, gameLog, linesOrNone } from './game-log.ts'
import { late } from './host-unavailable.ts'
import {
  begin,
  canCancel,
  type Effect,
  type Facts,
  type Happening,
  hasEnded,
  type Progress,
  type Step,
  step,
} from './operation.ts'

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
  /** Makes a line of the game's log harmless. */
  readonly clean: (line: string) => string
  readonly notify: Notify
  /** A restart has succeeded. @param by who asked for it, as metrics name it */
  readonly restarted: (by: 'key' | 'schedule' | 'watchdog') => void
  readonly newId: () => string
  readonly clock: Clock
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>
}

export interface OpenHost {
  readonly port: Host
  /** The current operation. */
  readonly operation: HostOperation | undefined
  /**
   * The host's present report on the process.
   * @throws {FarmError} host_unavailable
   */
  inspect(): Promise<GameProcess>
  /** Calls the listener with each operation that has ended. */
  onEnded(listener: (operation: HostOperation) => void): void
  /** Call this every second. */
  tick(): Promise<void>
  /** Ends what can end; the next start ends a current operation. */
  close(): void
}

/** Seconds in which the game must end before it is killed. */
const grace = 60
/** Milliseconds that a host may take in addition to the grace, and to begin to start the process. */
const hostLimit = 30_000
/** Milliseconds that a stop may take beyond the grace: to ask for it, to kill the process, and to see it end. */
const stopLimit = 120_000
/** Milliseconds after the start of farmgate in which a game must answer to count as newly started. */
const answerWait = 30_000
/** Maximum of log lines in a failed operation. */
const shownLines = 20

/** A running operation. */
interface Running {
  readonly stored: Omit<StoredOperation, 'operation' | 'endedAt'>
  readonly isSchedule?: true | undefined
  operation: HostOperation
  progress: Progress
}

export function openHost(parts: HostParts): OpenHost {
  const { driver, game, backups, hasBackups, calls, watchdog, clean, notify, restarted, newId, clock, log } =
    parts
  const known = knownFacts({ driver, game, monotonic: clock.monotonic })
  const printed: GameLog = gameLog(driver, clean, clock)
  const listeners: ((operation: HostOperation) => void)[] = []
  const inTurn = oneAtATime()
  let isClosed = false
  let running: Running | undefined
  /** Of the newest operation; each time is greater, even if the clock goes back. */
  let newestAt = 0

  const put = ({ stored, operation, progress }: Running) =>
    calls.putHostOperation({
      ...stored,
      operation,
      ...(hasEnded(progress) && { endedAt: clock.now() }),
    })

  /** Takes the new state of the operation, writes it, and begins its effects. */
  async function take(run: Running, { progress, effects }: Step): Promise<void> {
    const isNew = progress.state !== run.progress.state || run.operation.steps.length === 0
    run.progress = progress
    if (isNew) await entered(run, progress.state, progress.error)
    if (hasEnded(progress)) ended(run)
    for (const effect of effects) perform(run, effect)
  }

  async function entered(run: Running, state: OperationState, error: string | undefined): Promise<void> {
    const at = isoTime(clock.now())
    const lines = state === 'failed' ? await linesOrNone(printed, shownLines) : undefined
    run.operation = {
      ...run.operation,
      state,
      steps: [...run.operation.steps, { state, at }],
      ...(hasEnded({ state }) && { endedAt: at }),
      ...(error !== undefined && { error }),
      ...(lines !== undefined && { lines: [...lines] }),
    }
    const { id, action } = run.operation
    log.info({ id, action, state, ...(error !== undefined && { error }) }, 'operation on the game')
    await put(run).catch((cause: unknown) => {
      // Once the game is stopped it must be started again, even if that cannot be recorded.
      if (canCancel(run.progress) || state === 'stopping') throw cause
    })
  }

  function ended({ operation, isSchedule }: Running): void {
    running = undefined
    const { id, name } = operation.by
    // The watchdog starts a game that has crashed.
    const isRestart = operation.action === 'restart' || (operation.action === 'start' && id === 'watchdog')
    if (isRestart && operation.state === 'succeeded') {
      restarted(isSchedule ? 'schedule' : id === 'watchdog' ? id : 'key')
      notify('game.restarted', {
        by: name,
        ...(operation.reason !== undefined && { reason: operation.reason }),
      })
    }
    for (const listener of listeners) listener(operation)
  }

  /** Reports something to the operation, unless it has ended meanwhile. */
  const report = (run: Running, happening: Happening, facts?: Facts) =>
    inTurn.run(async () => {
      if (isClosed || running !== run) return
      try {
        await take(run, step(run.progress, happening, facts ?? (await known.read())))
      } catch (error) {
        log.error({ cause: String(error) }, 'an operation on the game cannot be recorded')
        await give(run, 'The records of the farm cannot be written, so the game was not stopped')
      }
    })

  async function give(run: Running, error: string): Promise<void> {
    run.progress = { ...run.progress, state: 'failed', error }
    await entered(run, 'failed', error).catch(() => undefined)
    ended(run)
  }

  function perform(run: Running, effect: Effect): void {
    if (effect.do === 'warn' || effect.do === 'call_off') {
      void sayAsServer(game, wordsOf(run.operation, effect)).catch((error: unknown) =>
        log.warn({ cause: String(error) }, 'players could not be warned'),
      )
      return
    }
    void effects[effect.do]().then(
      () => report(run, { type: 'done' }),
      (error: unknown) => {
        const isNight = error instanceof FarmError && error.failure.kind === 'save_in_progress'
        return report(run, { type: 'failed', error: sentenceOf(error, effect.do), isNight })
      },
    )
  }

  const effects = {
    async backup() {
      try {
        await withTimeLimit(backupBudgets.make + hostLimit, backups.makeBackup(), late)
      } catch (error) {
        // There is no save yet, or none is mounted.
        if (!(error instanceof FarmError) || error.failure.kind !== 'unsupported') throw error
      }
    },
    stop: () => withTimeLimit(grace * 1000 + stopLimit, driver.stop(grace), late),
    async start() {
      await known.forget()
      await withTimeLimit(hostLimit, driver.start(), late)
    },
  }

  /** Ends an operation during which farmgate ended, according to the present facts. None is continued. */
  async function recover({ operation, ...stored }: StoredOperation): Promise<void> {
    const run: Running = {
      stored,
      operation,
      // Only its state counts: nothing is done.
      progress: {
        ...begin(operation.action, noRequest, nothingKnown, false).progress,
        state: operation.state,
      },
    }
    running = run
    const end = async (error?: string) => {
      run.progress = { ...run.progress, state: error === undefined ? 'succeeded' : 'failed' }
      await entered(run, run.progress.state, error).catch(() => undefined)
      ended(run)
    }
    if (canCancel(operation)) return end('farmgate ended before it stopped the game')
    const isGone = async () => {
      const found = await known.inspect().catch(() => undefined)
      return found && { gone: found.state === 'stopped' || found.state === 'crashed', run: found.run }
    }
    const found = await isGone()
    if (found === undefined) return end('farmgate ended meanwhile, and the host does not answer')
    if (operation.action === 'stop')
      return end(found.gone ? undefined : 'farmgate ended while it stopped the game, and the game still runs')
    if (found.gone) return end('farmgate ended meanwhile, and the game does not run')
    // A process that it had not stopped yet is a new one only where the host can distinguish them.
    const isNewProcess =
      operation.state === 'stopping'
        ? stored.run !== undefined && found.run !== undefined && stored.run !== found.run
        : true
    if (!isNewProcess) return end('farmgate ended while it stopped the game, and the game still runs')
    const until = clock.monotonic() + answerWait
    while (!(await known.read()).isHealthy && !isClosed) {
      if (clock.monotonic() >= until) return end('farmgate ended meanwhile, and the game does not answer')
      await new Promise<void>((resolve) => void clock.after(1000, resolve))
    }
    return isClosed ? undefined : end()
  }

  const recovered = inTurn.run(async () => {
    try {
      newestAt = (await calls.hostOperations())[0]?.at ?? 0
      for (const one of await calls.openHostOperations()) await recover(one)
    } catch (error) {
      log.error({ cause: String(error) }, 'operations on the game that were interrupted cannot be read')
    }
  })

  const record = async (): Promise<GameHostRecord> => {
    const today = clock.now() - (clock.now() % 86_400_000)
    const [found, restartsToday] = await Promise.all([
      known.inspect().catch(() => undefined),
      calls.hostRestarts(today),
    ])
    return {
      driver: driver.driver,
      state: found?.state ?? 'unknown',
      ...(found?.since !== undefined && { since: isoTime(found.since) }),
      ...(found?.exitCode !== undefined && { exitCode: found.exitCode }),
      restartsToday,
      can: { ...driver.can },
      watchdog: watchdog(),
      operation: running?.operation ?? null,
    }
  }

  return {
    get operation() {
      return running?.operation
    },
    inspect: known.inspect,
    onEnded: (listener) => void listeners.push(listener),
    async tick() {
      printed.tick()
      try {
        if (running === undefined) await known.lookAtGame()
        else if (inTurn.isFree) await report(running, { type: 'looked' })
      } catch (error) {
        log.error({ cause: String(error) }, 'the game cannot be looked at')
      }
    },
    close() {
      isClosed = true
      printed.close()
      driver.close()
    },
    port: {
      host: record,
      async beginOperation(action, request, { isSchedule, ...by }) {
        const busy = () =>
          running && new FarmError({ kind: 'operation_running', operation: running.operation })
        const before = busy()
        if (before !== undefined) throw before
        await recovered
        return inTurn.run(async () => {
          const meanwhile = busy()
          if (meanwhile !== undefined) throw meanwhile
          const found = await known.inspect()
          const isGone = found.state === 'stopped' || found.state === 'crashed'
          if (action === 'start' && !isGone) throw new FarmError({ kind: 'already_running' })
          if (action !== 'start' && isGone) throw new FarmError({ kind: 'not_running' })
          newestAt = Math.max(clock.now(), newestAt + 1)
          const at = newestAt
          const first = begin(action, request, await known.read(), hasBackups)
          const run: Running = {
            stored: { at, ...(found.run !== undefined && { run: found.run }) },
            isSchedule,
            progress: first.progress,
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
          }
          running = run
          try {
            await take(run, first)
          } catch (error) {
            running = undefined
            throw error
          }
          return run.operation
        })
      },
      operations: async () => (await calls.hostOperations()).map(({ operation }) => operation),
      async cancelOperation(id) {
        // Also during a long turn: nothing but this can be true of it.
        if (running?.operation.id === id && !canCancel(running.progress))
          throw new FarmError({ kind: 'too_late' })
        return inTurn.run(async () => {
          const run = running
          if (run?.operation.id !== id) {
            const kept = await calls.hostOperations()
            if (!kept.some(({ operation }) => operation.id === id)) return undefined
            throw new FarmError({ kind: 'too_late' })
          }
          if (!canCancel(run.progress)) throw new FarmError({ kind: 'too_late' })
          await take(run, step(run.progress, { type: 'cancelled' }, await known.read()))
          return run.operation
        })
      },
      hostLog: printed.last,
      hearLog: printed.hear,
      typeLine: printed.type,
    },
  }
}

const noRequest: HostRequest = { when: 'now', warnMinutes: [], backup: false, force: false }
const nothingKnown: Facts = {
  today: '',
  at: 0,
  players: undefined,
  isSaving: false,
  process: 'unknown',
  isHealthy: false,
}

/** Why an effect failed, for a person. */
function sentenceOf(error: unknown, effect: 'backup' | 'stop' | 'start'): string {
  const cause = error instanceof FarmError ? problemOf(error.failure).message : 'farmgate has logged why'
  return effect === 'backup' ? `No backup was made, so the game was not stopped: ${cause}` : cause
}

const verbs = { start: 'starts', stop: 'stops', restart: 'restarts' } as const

function wordsOf(
  { action, reason }: HostOperation,
  effect: Extract<Effect, { do: 'warn' | 'call_off' }>,
): string {
  if (effect.do === 'call_off') return `The server ${action} is cancelled`
  const minutes = `${effect.minutes} ${effect.minutes === 1 ? 'minute' : 'minutes'}`
  return `The server ${verbs[action]} in ${minutes}${reason === undefined ? '' : `: ${reason}`}`
}
