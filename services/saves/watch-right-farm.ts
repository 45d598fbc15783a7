/** Keeps the farm that the game is expected to play, and reports another one (docs/backups.md, "The right farm"). */
import * as v from 'valibot'
import { gameDay } from '../../handlers/backup-record.ts'
import type { ExpectedFarm, FarmMark, UnexpectedFarm } from '../../handlers/expected-farm.ts'
import { FarmError, mayBeMade } from '../../handlers/farm-error.ts'
import type { GameBridge } from '../../handlers/game-bridge.ts'
import type { GameEvent } from '../../handlers/game-event.ts'
import { presentMoment } from '../../handlers/game-moment.ts'
import type { Status } from '../../handlers/game-records.ts'
import type { NextSave } from '../../handlers/save-record.ts'
import type { Clock } from '../../lib/clock.ts'
import { stringifyJson } from '../../lib/json.ts'
import type { Log } from '../../lib/log.ts'
import { oneAtATime } from '../../lib/one-at-a-time.ts'
import type { Registry } from '../../lib/prom-client.ts'
import { gauge } from '../../lib/series.ts'
import { canPoint, nextSave, type Repair } from './pointer.ts'
import { alarm, allow, decide, isSameFarm, play } from './right-farm.ts'
import { farmNumber, foundSave } from './saves-folder.ts'

export interface RightFarmParts extends Pick<Clock, 'now' | 'monotonic'> {
  /** `SAVES_DIR`; without it no farm is expected, because no one could say which save is right. */
  readonly savesDir: string | undefined
  readonly game: Pick<GameBridge, 'status' | 'health'>
  readonly records: {
    readonly read: () => Promise<ExpectedFarm | undefined>
    readonly write: (kept: ExpectedFarm) => Promise<unknown>
  }
  readonly repair: Repair
  /** Called once for each trouble. */
  readonly report: (unexpected: UnexpectedFarm) => void
  readonly log: Pick<Log, 'warn' | 'info'>
}

/** Milliseconds for which the save of the day is awaited before the farm is judged by its name. */
const patience = 5000
/** Milliseconds between two looks at a save that cannot be read, and at a pointer that names none. */
const lookAgain = { save: 30_000, pointer: 3000 } as const

interface Seen {
  /** What is looked at again only when it changes. */
  readonly key: string
  /** When it was first seen; of a clock that never runs backwards. */
  readonly since: number
  readonly mark: FarmMark
  /** When the process of the game was started, if it says so. */
  readonly startedAt: string | undefined
  readonly loadedFrom: FarmMark | undefined
  /** When to look again; infinite once the save was read. */
  readonly nextAt: number
}

export type RightFarm = ReturnType<typeof watchRightFarm>

export function watchRightFarm(parts: RightFarmParts) {
  const { savesDir, game, records, report, log, now, monotonic } = parts
  let kept: ExpectedFarm | undefined
  let seen: Seen | undefined
  /** What it played before it had no farm. */
  let before: FarmMark | undefined
  let pointerAt = Number.NEGATIVE_INFINITY
  const inTurn = oneAtATime().run
  const listeners = new Set<(event: GameEvent) => void>()
  const deciders = new Set<() => void>()

  /** @throws what reading the records throws */
  const current = async (): Promise<ExpectedFarm> => {
    if (kept !== undefined) return kept
    kept = (await records.read()) ?? { allowed: [] }
    if (kept.unexpected === undefined) for (const decided of deciders) decided()
    return kept
  }
  const become = async (decided: ExpectedFarm): Promise<void> => {
    const was = kept?.unexpected
    const next = { ...(kept?.pointer && { pointer: kept.pointer }), ...decided }
    if (stringifyJson(next) === stringifyJson(kept)) return
    kept = next
    // It also stays in memory; the records log what they cannot write.
    await records.write(next).catch(() => undefined)
    const { expected, unexpected } = next
    if (was !== undefined && unexpected === undefined) {
      log.info({ expected }, 'the game plays the expected farm, or someone has decided which one is right')
      for (const decided of deciders) decided()
    }
    if (unexpected === undefined || (unexpected.since === was?.since && unexpected.kind === was.kind)) return
    log.warn(unexpected, 'the game does not play the farm that it is expected to play')
    report(unexpected)
    for (const listener of listeners) listener({ type: 'game.wrong_farm', ...unexpected })
  }

  async function lookAtPointer(dir: string, { unexpected, expected }: ExpectedFarm): Promise<void> {
    if (unexpected?.kind !== 'pointer' || expected === undefined || monotonic() < pointerAt) return
    pointerAt = monotonic() + lookAgain.pointer
    const next = await nextSave(dir).catch(() => undefined)
    if (next?.state === 'ok') await become(decide(await current(), expected))
  }

  /** @param save that the game plays */
  async function endPointer(dir: string, save: string, startedAt = ''): Promise<void> {
    const next = await nextSave(dir)
    const { state, name = '' } = next
    if (state === 'ok' || state === 'unknown') return become({ ...(await current()), pointer: {} })
    if (await canPoint(dir)) {
      await parts.repair(dir, { from: name, to: save })
      return become({ ...(await current()), pointer: { repairedIn: startedAt } })
    }
    const before = await current()
    await become({ ...alarm(before, 'pointer', pointedMark(next), now()), pointer: {} })
  }

  async function look(dir: string): Promise<void> {
    await lookAtPointer(dir, await current())
    const { status, moment } = await presentMoment(game)
    const { farmName, year, season, day, startedAtUtc: startedAt } = status
    const { repairedIn } = (await current()).pointer ?? {}
    const isNewStart =
      repairedIn === ''
        ? moment === 'offline' || moment === 'starting'
        : startedAt !== undefined && startedAt !== repairedIn
    if (repairedIn !== undefined && isNewStart) await become({ ...(await current()), pointer: {} })
    // The connection alone may be lost.
    if (moment === 'offline') return
    if (moment === 'starting' || moment === 'no_farm' || farmName === '') {
      before = seen?.mark ?? before
      seen = undefined
      return
    }
    const isNight = moment === 'night'
    const { expected } = await current()
    // The farm was seen before the night, which hides its save.
    if (isNight && farmName === expected?.name) return
    const key = [farmName, year, season, day, startedAt, isNight].join('\n')
    const isSame = seen?.key === key
    if (seen !== undefined && isSame && monotonic() < seen.nextAt) return
    const { mark, save } = await playedSave(dir, status)
    const isRead = mark.number !== undefined && !isNight
    const since = seen !== undefined && isSame ? seen.since : monotonic()
    const isJudged = isRead || monotonic() - since >= patience
    const loadedFrom = loadedBefore(isSame, startedAt)
    const nextAt = isRead ? Number.POSITIVE_INFINITY : isJudged ? monotonic() + lookAgain.save : 0
    seen = { key, since, mark, startedAt, loadedFrom, nextAt }
    before = undefined
    if (isJudged) await become(play(await current(), mark, loadedFrom, now()))
    if (isRead && save !== undefined && (await current()).pointer?.isOpen)
      await endPointer(dir, save, startedAt)
  }
  const loadedBefore = (isSame: boolean, startedAt: string | undefined): FarmMark | undefined => {
    if (seen === undefined) return before
    if (isSame) return seen.loadedFrom
    return seen.startedAt === startedAt ? undefined : seen.mark
  }

  /** @throws what reading the records throws */
  const change = (next: (kept: ExpectedFarm) => ExpectedFarm): Promise<void> =>
    inTurn(async () => become(next(await current())))
  /** A choice does not fail because of records that cannot be read, which they log. */
  const attempted = (next: (kept: ExpectedFarm) => ExpectedFarm): Promise<void> =>
    change(next).catch(() => undefined)
  const without = ({ allowed }: ExpectedFarm, mark: FarmMark) => ({
    allowed: allowed.filter((one) => stringifyJson(one) !== stringifyJson(mark)),
  })
  const tick = (): Promise<void> =>
    savesDir === undefined ? Promise.resolve() : inTurn(() => look(savesDir)).catch(() => undefined)

  return {
    /** Looks at the game, unless it is as it was. Call it every second. Never rejects. */
    tick,
    /** @throws what reading the records throws */
    unexpected: async (): Promise<UnexpectedFarm | undefined> => (await current()).unexpected,
    /** @throws what reading the records throws */
    expected: async (): Promise<FarmMark | undefined> => (await current()).expected,
    /** As far as it is known. */
    isWrong: (): boolean => kept?.unexpected !== undefined,
    /**
     * A farm was chosen through farmgate and the game plays it, or will do so at its next start, because it is stopped.
     * Ends the trouble. Never rejects.
     */
    expect: (mark: FarmMark): Promise<void> => attempted((before) => decide(without(before, mark), mark)),
    /** Someone says that a save is right, whatever the game plays. @throws what reading the records throws */
    decide: (mark: FarmMark): Promise<void> =>
      change((before) => {
        if (seen === undefined) return decide(before, mark)
        if (isSameFarm(mark, seen.mark)) return decide(before, { ...mark, ...seen.mark })
        return play({ ...before, expected: mark }, seen.mark, undefined, now())
      }),
    /**
     * A farm was added or chosen through farmgate, and the game may load it later: it is expected from then on, on its
     * day, where the mark has one. Never rejects.
     */
    allow: (mark: FarmMark): Promise<void> => attempted((before) => allow(before, mark)),
    /** The game will not load it. Never rejects. @param mark the same as of `allow` */
    disallow: (mark: FarmMark): Promise<void> =>
      attempted((before) => ({ ...before, ...without(before, mark) })),
    /** A choice of a farm is undone. Never rejects. @param mark as of `allow` @param expected before the choice */
    takeBack: (mark: FarmMark, expected: FarmMark | undefined): Promise<void> =>
      attempted((before) => {
        const rest = { ...before, ...without(before, mark) }
        if (before.expected === undefined || !isSameFarm(before.expected, mark)) return rest
        const { expected: _, ...others } = rest
        return expected === undefined ? others : { ...others, expected }
      }),
    /** The next start of the game would create a new farm. Reported once. Never rejects. */
    reportPointer: (next: NextSave): Promise<void> =>
      attempted((before) => alarm(before, 'pointer', pointedMark(next), now())),
    /** A new game replaced the farm: its pointer is looked at after its first night. Never rejects. */
    hasNewGame: (): Promise<void> => attempted((before) => ({ ...before, pointer: { isOpen: true } })),
    /** An operation has started the game again. Never rejects. */
    hasStarted: (): Promise<void> =>
      attempted(({ pointer: { repairedIn: _, ...pointer } = {}, ...before }) => ({ ...before, pointer })),
    /** The name of the expected farm, where it is a new one without a save. @throws what reading the records throws */
    async newFarm(): Promise<string | undefined> {
      const { expected, pointer } = await current()
      return pointer?.isOpen && expected?.number === undefined ? expected?.name : undefined
    },
    /** Call this before the game loads again without a start. @throws {FarmError} restart_needed */
    checkReload(): void {
      if (kept?.pointer?.repairedIn !== undefined) throw new FarmError({ kind: 'restart_needed' })
    },
    /**
     * Looks at the game first. @returns whether no backup of a save may be removed: of any, while nothing is known
     */
    async held(): Promise<(save: string) => boolean> {
      if (savesDir === undefined) return () => false
      await tick()
      if (kept === undefined) return () => true
      const { expected, unexpected } = kept
      if (unexpected === undefined) return () => false
      return (save) => expected?.number === undefined || farmNumber(save) === expected.number
    },
    /** Whether copies of removed backups may be removed off-site: not while something is wrong or not known. */
    mayRemove: (): boolean => savesDir === undefined || (kept !== undefined && kept.unexpected === undefined),
    /** @param listener called when the trouble has ended, or is known not to exist */
    onDecided: (listener: () => void) => void deciders.add(listener),
    subscribe(listener: (event: GameEvent) => void): () => void {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

const pointedMark = ({ name = '' }: NextSave): FarmMark => {
  const [, farm = name, number] = /^(.*)_([0-9]+)$/.exec(name) ?? []
  return { name: farm, ...(number !== undefined && { number }) }
}

/** The mark has a number where there is a save of that farm and day. */
async function playedSave(
  dir: string,
  status: Status,
): Promise<{ readonly mark: FarmMark; readonly save: string | undefined }> {
  const { farmName: name } = status
  const read = v.safeParse(gameDay, status)
  const day = read.success ? read.output : undefined
  const found = await foundSave(dir, name, day).catch(() => undefined)
  const isPlayed = found !== undefined && (found.isOfDay || day === undefined)
  const save = isPlayed ? found.save.name : undefined
  return { mark: { name, ...(save !== undefined && { number: farmNumber(save) }), ...day }, save }
}

/** A game whose events include `game.wrong_farm`, and whose new farm is expected. */
export const withRightFarm = <Game extends GameBridge>(game: Game, right: RightFarm): Game => ({
  ...game,
  async reload() {
    right.checkReload()
    return game.reload()
  },
  async newGame(options) {
    const name = options.farmName ?? (await game.settings()).game.farmName
    // On any day, because its first one can pass before it is seen.
    const mark = { name }
    await right.allow(mark)
    try {
      const message = await game.newGame(options)
      await right.hasNewGame()
      return message
    } catch (error) {
      // Where no answer came, the game may have made it.
      if (mayBeMade(error)) await right.hasNewGame()
      else await right.disallow(mark)
      throw error
    }
  },
  subscribe(listener) {
    const ends = [game.subscribe(listener), right.subscribe(listener)]
    return () => {
      for (const end of ends) end()
    }
  },
})

export function measureRightFarm(registry: Registry, { isWrong }: Pick<RightFarm, 'isWrong'>): void {
  const help = '1 while the game does not play the farm that it is expected to play'
  gauge(registry, 'farmgate_wrong_farm', help, () => (isWrong() ? 1 : 0))
}
