/** The cycle of days: ten-minute steps, the save at night, and the next morning. */
import { recurring } from '../../lib/clock.ts'
import { dayEnd, morning, tenMinutesLater, tomorrow } from './calendar.ts'
import type { Farm } from './farm.ts'
import { isDayRunning, isPaused } from './world.ts'

/** Real milliseconds of one game minute at the game's own pace. */
export const gameMinute = 700
/** Milliseconds at speed 1: of the phase before the save, and of the save. */
const endingTakes = 2_000
const savingTakes = 2_000

export type Days = ReturnType<typeof dayCycle>

export interface DayListener {
  /** Called after every ten-minute step of the clock. @returns true to end the day */
  step(): boolean
  /** Called when a new day has begun, before its events are emitted. */
  morning(): void
}

export function dayCycle(farm: Farm, listener: DayListener) {
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
    farm.save()
    world.phase = 'day'
    for (const visitor of world.visitors.values()) visitor.isInBed = false
    listener.morning()
    farm.publish()
  }
  const cycle = recurring(farm.clock.after, delay, () => {
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
  return {
    cycle,
    /** Ends the day: all players are in bed, or it is 2 AM. */
    end,
    setTime,
    /** Starts the save that ends a day, without the phase before it. */
    save: () => enter('saving'),
  }
}
