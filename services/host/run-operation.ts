/**
 * Carries out one operation at a time: reports to the state machine what is true and how each effect ended, and makes the
 * effects. Each state is on the disk before its effect begins, so that a start after a crash can end the operation according to the
 * facts.
 */
import { type Backups, backupBudgets } from '../../handlers/backups.ts'
import { FarmError } from '../../handlers/farm-error.ts'
import type { GameBridge } from '../../handlers/game-bridge.ts'
import type { GameHost } from '../../handlers/game-host.ts'
import type { HostOperation, LogLine, OperationState } from '../../handlers/host-record.ts'
import { isoTime } from '../../handlers/iso-time.ts'
import { sayAsServer } from '../../handlers/say-as-server.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { oneAtATime } from '../../lib/one-at-a-time.ts'
import { withTimeLimit } from '../../lib/time-limit.ts'
import type { StoredOperation } from '../records/host-table.ts'
import type { KeeperCalls } from '../records/keeper.ts'
import type { KnownFacts } from './facts.ts'
import { late } from './host-unavailable.ts'
import {
  awaitsEffect,
  canCancel,
  type Effect,
  type Facts,
  type Happening,
  hasEnded,
  isUndoing,
  type Progress,
  resume,
  type Step,
  step,
} from './operation.ts'
import { announcementOf, sentenceOf } from './operation-texts.ts'
import type { Preparation } from './preparation.ts'

/** Seconds in which the game must end before it is killed. */
const grace = 60
/** Milliseconds that a host may take to begin to start the process, and beyond the budget of a backup. */
const hostLimit = 30_000
/** Milliseconds that a stop may take beyond the grace: to ask for it, to kill the process, and to see it end. */
const stopLimit = 120_000

export interface RunnerParts {
  readonly driver: Pick<GameHost, 'start' | 'stop'>
  readonly game: Pick<GameBridge, 'announce' | 'sendChat'>
  readonly backups: Pick<Backups, 'makeBackup'>
  readonly calls: Pick<KeeperCalls, 'putHostOperation'>
  readonly known: Pick<KnownFacts, 'read' | 'forget' | 'lookAtGame'>
  /** The last lines of the game's log, for an operation that failed. */
  readonly lastLines: () => Promise<readonly LogLine[] | undefined>
  readonly ended: (operation: HostOperation, isSchedule: boolean) => void
  readonly clock: Pick<Clock, 'now'>
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>
}

/** A running operation. */
interface Running {
  readonly stored: Omit<StoredOperation, 'operation' | 'endedAt'>
  readonly isSchedule?: true | undefined
  readonly preparation: Preparation
  operation: HostOperation
  progress: Progress
}

export function operationRunner(parts: RunnerParts) {
  const { driver, game, backups, calls, known, lastLines, clock, log } = parts
  const turns = oneAtATime()
  let isClosed = false
  let running: Running | undefined

  /** Takes the new state of the operation, writes it, and begins its effects. */
  async function take(run: Running, { progress, effects }: Step): Promise<void> {
    const isNew = progress.state !== run.progress.state || run.operation.steps.length === 0
    run.progress = progress
    if (progress.state === 'succeeded') await run.preparation.succeeded()
    if (isNew) await enter(run, progress.state, progress)
    if (hasEnded(progress)) ended(run)
    for (const effect of effects) perform(run, effect)
  }

  async function enter(
    run: Running,
    state: OperationState,
    { error, isUndone }: Pick<Progress, 'error' | 'isUndone'>,
  ): Promise<void> {
    const at = isoTime(clock.now())
    const isEnd = hasEnded({ state })
    const lines = state === 'failed' ? await lastLines() : undefined
    const { stopsAt: _, ...before } = run.operation
    const { since, stopsAt = since } = run.progress
    run.operation = {
      ...before,
      state,
      steps: [...before.steps, { state, at }],
      ...(state === 'warning' && { stopsAt: isoTime(clock.now() + stopsAt - since) }),
      ...(isEnd && { endedAt: at }),
      ...(error !== undefined && { error }),
      ...(isUndone && { undone: true }),
      ...(lines !== undefined && { lines: [...lines] }),
    }
    const { id, action } = before
    log.info({ id, action, state, ...(error !== undefined && { error }) }, 'operation on the game')
    const { stored, operation } = run
    const row = { ...stored, operation, ...(isEnd && { endedAt: clock.now() }) }
    await calls.putHostOperation(row).catch((cause: unknown) => {
      // Once the game is stopped it must be started again, even if that cannot be recorded.
      if (canCancel({ state }) || state === 'stopping') throw cause
    })
  }

  function ended({ operation, isSchedule }: Running): void {
    running = undefined
    parts.ended(operation, isSchedule === true)
  }

  /** Ends it without the state machine. */
  async function finish(run: Running, error: string | undefined): Promise<void> {
    const end = error === undefined ? 'succeeded' : 'failed'
    await enter(run, end, { ...(error !== undefined && { error }) }).catch(() => undefined)
    ended(run)
  }

  /** The facts for an operation in this state, but for what must be done before a start. Never rejects. */
  async function factsOf({
    preparation,
    progress,
  }: Pick<Running, 'preparation' | 'progress'>): Promise<Facts> {
    const facts = await known.read()
    const isUndone = isUndoing(progress)
    return progress.state === 'checking'
      ? {
          ...facts,
          beforeStart: 'nothing',
          isRightFarm: await preparation.isRightFarm(isUndone).catch(() => undefined),
        }
      : { ...facts, beforeStart: 'nothing', isRightFarm: undefined }
  }

  /** Reports something to the operation, unless it has ended meanwhile. */
  const report = (run: Running, happening: Happening) =>
    turns.run(async () => {
      if (!isClosed && running === run)
        await advance(run, async () => {
          const facts = await factsOf(run)
          const next = step(run.progress, happening, facts)
          // It can wait for hours, and what a start would load counts only when that is over.
          if (run.progress.action === 'stop' || next.progress.state === run.progress.state) return next
          return step(run.progress, happening, { ...facts, beforeStart: await run.preparation.beforeStart() })
        })
    })

  async function advance(run: Running, next: () => Promise<Step>): Promise<void> {
    try {
      await take(run, await next())
    } catch (error) {
      log.error({ cause: String(error) }, 'an operation on the game cannot be recorded')
      await finish(run, 'The records of the farm cannot be written, so the game was not stopped')
    }
  }

  function perform(run: Running, effect: Effect): void {
    if (effect.do === 'warn' || effect.do === 'call_off') {
      void sayAsServer(game, announcementOf(run.operation, effect)).catch((error: unknown) =>
        log.warn({ cause: String(error) }, 'players could not be warned'),
      )
      return
    }
    const { prepare, undo } = run.preparation
    const effects: Readonly<Record<typeof effect.do, () => Promise<unknown>>> = {
      ...ofGame,
      prepare: () => withTimeLimit(hostLimit, prepare(), late),
      undo: () => withTimeLimit(hostLimit, undo(), late),
    }
    void effects[effect.do]().then(
      (remark) => report(run, { type: 'done', ...(typeof remark === 'string' && { remark }) }),
      (error: unknown) => {
        const isNight = error instanceof FarmError && error.failure.kind === 'save_in_progress'
        return report(run, { type: 'failed', error: sentenceOf(error, effect.do), isNight })
      },
    )
  }

  const ofGame = {
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

  return {
    /** The current operation. */
    get operation(): HostOperation | undefined {
      return running?.operation
    },
    /** Runs a task during which nothing happens to the operation. The other methods but `tick` belong into such a task. */
    inTurn: turns.run,
    /** @throws {FarmError} the operation cannot be recorded: it does not begin */
    async begin(begun: Omit<Running, 'progress'>, first: Step): Promise<HostOperation> {
      const run: Running = { ...begun, progress: first.progress }
      running = run
      try {
        await take(run, first)
      } catch (error) {
        running = undefined
        throw error
      }
      return run.operation
    },
    /** @throws {FarmError} too_late */
    async cancel(): Promise<HostOperation> {
      const run = running
      if (run === undefined || !canCancel(run.progress)) throw new FarmError({ kind: 'too_late' })
      await take(run, step(run.progress, { type: 'cancelled' }, await factsOf(run)))
      return run.operation
    },
    /** Takes an operation that an earlier process left, while `failure` finds out how it ended. */
    async settle(
      { operation, ...stored }: StoredOperation,
      preparation: Preparation,
      failure: () => Promise<string | undefined>,
    ) {
      const run: Running = { stored, preparation, operation, progress: settling(operation) }
      running = run
      const error = await failure()
      if (!isClosed) await finish(run, error)
    },
    /** Continues one that changes the farm, which an earlier process left. @param found resolves when the host answers */
    async resume(
      { operation, ...stored }: StoredOperation,
      preparation: Preparation,
      found: () => Promise<unknown>,
    ) {
      const run: Running = { stored, preparation, operation, progress: settling(operation) }
      running = run
      await found()
      if (isClosed) return
      await advance(run, async () => {
        const facts = { ...(await factsOf(run)), beforeStart: await preparation.beforeStart() }
        return resume(run.progress, facts)
      })
    },
    /** Call this every second. Never rejects. */
    async tick() {
      try {
        // Nothing but the end of an effect changes the operation then; a night must be known all the same.
        if (running === undefined || awaitsEffect(running.progress)) await known.lookAtGame()
        else if (turns.isFree) await report(running, { type: 'looked' })
      } catch (error) {
        log.error({ cause: String(error) }, 'the game cannot be looked at')
      }
    },
    close() {
      isClosed = true
    },
  }
}

/** Nothing is done for an operation that is only settled: of its progress the state alone counts. */
const settling = ({ action, when, state, error }: HostOperation): Progress => ({
  action,
  ...(error !== undefined && { error }),
  request: { when, warnMinutes: [], backup: false, force: false },
  state,
  since: 0,
  toWarn: [],
  hasSeenNight: false,
  beganOn: '',
  isBackedUp: true,
})
