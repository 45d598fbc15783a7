/** Days: ten-minute steps, the night's short save, and the next morning. */

import { dayEnd, morning, tenMinutesLater, tomorrow } from './calendar.ts'
import { type Recurring, recurring } from './clock.ts'
import type { Farm } from './farm.ts'
import { isDayRunning, isPaused } from './world.ts'

/** Real milliseconds of one game minute at the game's own pace. */
export const gameMinute = 700
/** How long the world stands still before it is written, and the writing. */
const endingTakes = 2_000
const savingTakes = 2_000

export interface Days {
  readonly cycle: Recurring
  setTime(timeOfDay: number): void
  /** Everybody is asleep, or it is 2 AM. */
  end(): void
  /** The save that ends a day, at once. */
  save(): void
}

export interface DayListener {
  /** Ten minutes have passed of themselves. @returns true to end the day */
  step(): boolean
  /** A new day, before anything is told of it. */
  morning(): void
}

export function dayCycle(farm: Farm, listener: DayListener): Days {
  const delay = (): number | undefined => {
    if (farm.loop.state !== 'running') return undefined
    if (farm.world.phase === 'ending') return endingTakes / farm.speed
    if (farm.world.phase === 'saving') return savingTakes / farm.speed
    return farm.isLiving ? (gameMinute * 10) / farm.clockSpeed / farm.speed : undefined
  }
  const enter = (phase: 'ending' | 'saving') => {
    farm.world.phase = phase
    farm.publish()
    cycle.start()
  }
  const end = () => {
    if (isDayRunning(farm.world)) enter('ending')
  }
  const wakeUp = () => {
    const { world } = farm
    world.date = tomorrow(world.date)
    world.timeOfDay = morning
    world.phase = 'day'
    for (const visitor of world.visitors.values()) visitor.isInBed = false
    listener.morning()
    farm.publish()
  }
  const cycle = recurring(farm.clock, delay, () => {
    const { world } = farm
    if (world.phase === 'ending') enter('saving')
    else if (world.phase === 'saving') wakeUp()
    else if (!isPaused(world)) {
      setTime(tenMinutesLater(world.timeOfDay))
      if (isDayRunning(world) && listener.step()) end()
    }
  })
  const setTime = (timeOfDay: number) => {
    farm.world.timeOfDay = timeOfDay
    if (timeOfDay >= dayEnd) return end()
    farm.publish()
  }
  return { cycle, end, setTime, save: () => enter('saving') }
}
