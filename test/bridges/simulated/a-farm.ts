import type { FarmOptions } from '../../../bridges/simulated/farm.ts'
import { simulatedFarm } from '../../../bridges/simulated/simulated-farm.ts'
import type { JoinLine } from '../../../bridges/simulated/visits.ts'
import type { GameEvent } from '../../../handlers/game-event.ts'
import { manualClock } from '../manual-clock.ts'

/** A simulated farm with a clock that the test sets, and all of its events. */
export function aFarm(options: Partial<FarmOptions> = {}) {
  const clock = manualClock()
  const joins: JoinLine[] = []
  const events: GameEvent[] = []
  const farm = simulatedFarm({
    seed: 'clover',
    speed: 1,
    clock,
    version: '1.2.3',
    log: (line) => joins.push(line),
    ...options,
  })
  farm.subscribe((event) => events.push(event))
  return { farm, clock, joins, events, controls: farm.controls }
}

/** The longest time without players, at speed 1, in milliseconds. */
export const longestBreak = 90_000
/** The longest a day and its night take at speed 1, with the possible breaks; milliseconds. */
export const gameDay = 120 * 7_000 + 3 * longestBreak + 4_000
