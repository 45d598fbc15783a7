/** The parts of one simulated farm: its world, its game loop, its latest snapshot and its listeners. */
import { cabinEvents, type GameEvent, playerEvents, statusEvents } from '../../handlers/game-event.ts'
import type { Status } from '../../handlers/game-records.ts'
import type { Clock } from '../../lib/clock.ts'
import { defaultSettings, type FarmSettings } from '../settings-file/farm-settings.ts'
import { statusShower } from '../shown-status.ts'
import type { FarmDate } from './calendar.ts'
import { gameLoop } from './loop.ts'
import { seededRandom } from './random.ts'
import { type GameSave, saveName } from './save-files.ts'
import { gameVersion, type Snapshot, snapshotOf } from './snapshot.ts'
import type { JoinLine } from './visits.ts'
import { newWorld, type World } from './world.ts'

/** Where a farm is saved. */
export interface FarmSaves {
  write(save: GameSave): void
  /** @returns the day on which the saved farm continues; undefined when there is no save */
  load(farm: Pick<GameSave, 'farmName' | 'farmId'>): FarmDate | undefined
  /** @param name of its folder @returns undefined when there is no such save */
  open(name: string): Pick<GameSave, 'farmName' | 'farmId' | 'date'> | undefined
}

export interface FarmOptions {
  /** Farms with the same seed behave the same (`SIM_SEED`). */
  readonly seed: string
  /** A factor of the speed of everything that takes time; 1 is the game's own (`SIM_SPEED`). */
  readonly speed: number
  readonly clock: Clock
  /** The version of farmgate, shown as `simulated-<version>`. */
  readonly version: string
  /** From `server-settings.json`; the game's defaults when missing. */
  readonly settings?: FarmSettings
  /** Reads the file again, for a reload and a new world; undefined for an unreadable file. */
  readonly readSettings?: () => FarmSettings | undefined
  /** Players must type a password after they join, which takes a few seconds; off when missing. */
  readonly hasPassword?: boolean
  /** Without it nothing is saved. */
  readonly saves?: FarmSaves
  /** Called with every join, accepted or rejected. */
  readonly log?: (line: JoinLine) => void
  /** `living` (default): time passes and players act on their own. `steered`: nothing happens except by calls. */
  readonly story?: 'living' | 'steered'
}

export type Farm = ReturnType<typeof newFarm>

export function newFarm(options: FarmOptions) {
  const { clock, speed, hasPassword = false, settings = defaultSettings } = options
  const random = seededRandom(options.seed)
  const loop = gameLoop(clock)
  const listeners = new Set<(event: GameEvent) => void>()
  const take = (world: World, before: Snapshot | undefined) =>
    snapshotOf(
      world,
      { now: clock.now(), serverVersion: `simulated-${options.version}`, hasPassword },
      before,
    )
  let world = newWorld(settings, random)
  let snapshot = take(world, undefined)
  let publishedStatus = snapshot.status

  const emit = (event: GameEvent) => {
    for (const listener of [...listeners]) listener(event)
  }
  const shown = statusShower()
  const status = (): Status => {
    const isThere = loop.state === 'running' || loop.state === 'frozen'
    return shown(snapshot.status, loop.lastRan, !isThere)
  }
  return {
    clock,
    random,
    loop,
    speed,
    hasPassword,
    isLiving: options.story !== 'steered',
    log: options.log ?? (() => {}),
    /** A factor of the speed of the in-game clock; 1 is the game's own (`/clock-speed`). */
    clockSpeed: 1,
    /** Frames per second; 0 is off. */
    fps: 0,
    get world(): World {
      return world
    },
    get snapshot(): Snapshot {
      return snapshot
    },
    /** The status that reads answer, also while the game is offline. */
    status,
    /** Takes a new snapshot and emits the events of the changes since the last one. */
    publish() {
      const before = { ...snapshot, status: publishedStatus }
      // While the game loop does not run it makes no snapshots.
      if (loop.state === 'running') snapshot = take(world, snapshot)
      publishedStatus = status()
      for (const event of [
        ...playerEvents(before.players, snapshot.players),
        ...cabinEvents(before.cabins, snapshot.cabins),
        ...statusEvents(before.status, publishedStatus),
      ])
        emit(event)
    },
    emit,
    listen(listener: (event: GameEvent) => void): () => void {
      const own = (event: GameEvent) => listener(event)
      listeners.add(own)
      return () => void listeners.delete(own)
    },
    /** The current settings of the file, or those of the world where there is none. */
    readSettings: () => options.readSettings?.() ?? world.settings,
    /** Removes all listeners. */
    unsubscribeAll: () => listeners.clear(),
    /** Saves the world, as the game does at the end of a night. */
    save() {
      options.saves?.write(saveOf(world))
    },
    /** Returns to the last save. */
    load() {
      world.date = options.saves?.load(saveOf(world)) ?? world.date
    },
    /** The folder of the present farm's save. */
    get saveName(): string {
      return saveName(saveOf(world))
    },
    /** Plays another save, without the players that it names. @returns false when there is no such save */
    play(name: string): boolean {
      const save = options.saves?.open(name)
      if (save === undefined) return false
      const { shown } = world.settings
      const game = { ...shown.game, farmName: save.farmName }
      world = {
        ...newWorld({ ...world.settings, shown: { ...shown, game } }, random),
        hostId: BigInt(save.farmId),
        date: save.date,
      }
      return true
    },
    /** Replaces the world by a new one. */
    startOver(next: FarmSettings) {
      world = newWorld(next, random)
      options.saves?.write(saveOf(world))
    },
  }
}

const saveOf = ({ settings, hostId, date, slots }: World): GameSave => ({
  farmName: settings.shown.game.farmName,
  farmId: Number(hostId % 1_000_000_000n),
  date,
  host: 'Server',
  farmhands: slots.flatMap(({ name }) => name || []),
  gameVersion,
})
