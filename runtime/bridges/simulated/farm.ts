/** One farm: its world, its loop, what was last told of it, and who listens. */
import { cabinEvents, type GameEvent, playerEvents, statusEvents } from '../../../handlers/game-event.ts'
import type { Status } from '../../../handlers/game-records.ts'
import { statusShower } from '../../shown-status.ts'
import type { Clock } from './clock.ts'
import { type GameLoop, gameLoop } from './loop.ts'
import { type Random, seededRandom } from './random.ts'
import { type Snapshot, snapshotOf } from './records.ts'
import { defaultSettings, type FarmSettings } from './settings.ts'
import type { JoinLine } from './visits.ts'
import { newWorld, type World } from './world.ts'

export interface FarmOptions {
  /** Same seed, same story (`SIM_SEED`). */
  readonly seed: string
  /** Multiplies everything that takes time; 1 is the game's own pace (`SIM_SPEED`). */
  readonly speed: number
  readonly clock: Clock
  /** farmgate's own, shown as `simulated-<version>`. */
  readonly version: string
  /** From `server-settings.json`; the game's defaults when left out. */
  readonly settings?: FarmSettings
  /** Joiners log in first, which takes them a moment; off when left out. */
  readonly hasPassword?: boolean
  /** Hears of every join, let in or refused. */
  readonly log?: (line: JoinLine) => void
  /** `living`: time passes and people do as they please. `steered`: nothing happens unless asked for. */
  readonly story?: 'living' | 'steered'
}

export interface Farm {
  readonly clock: Clock
  readonly random: Random
  readonly loop: GameLoop
  readonly speed: number
  readonly isLiving: boolean
  readonly hasPassword: boolean
  readonly log: (line: JoinLine) => void
  readonly world: World
  readonly snapshot: Snapshot
  /** Faster or slower days; 1 is the game's own (`/clock-speed`). */
  clockSpeed: number
  /** Frames per second; 0 is off. */
  fps: number
  /** The status as the outside has it. */
  status(): Status
  /** Tells what has changed since the last time. */
  publish(): void
  emit(event: GameEvent): void
  listen(listener: (event: GameEvent) => void): () => void
  /** Nobody hears anything from now on. */
  deafen(): void
  /** A farm from scratch on the same machine. */
  startOver(settings: FarmSettings): void
}

export function newFarm(options: FarmOptions): Farm {
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
  let told = snapshot.status

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
    clockSpeed: 1,
    fps: 0,
    get world() {
      return world
    },
    get snapshot() {
      return snapshot
    },
    status,
    publish() {
      const before = { ...snapshot, status: told }
      // A loop that stands still makes no snapshots.
      if (loop.state === 'running') snapshot = take(world, snapshot)
      told = status()
      for (const event of [
        ...playerEvents(before.players, snapshot.players),
        ...cabinEvents(before.cabins, snapshot.cabins),
        ...statusEvents(before.status, told),
      ])
        emit(event)
    },
    emit,
    listen(listener) {
      const own = (event: GameEvent) => listener(event)
      listeners.add(own)
      return () => void listeners.delete(own)
    },
    deafen: () => listeners.clear(),
    startOver(next) {
      world = newWorld(next, random)
    },
  }
}
