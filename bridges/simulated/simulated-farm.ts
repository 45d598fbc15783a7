import type { GameBridge } from '../../handlers/game-bridge.ts'
import { gameChat } from './chat.ts'
import { controlsOf } from './controls.ts'
import { dayCycle } from './days.ts'
import { type FarmOptions, newFarm } from './farm.ts'
import { readsOf } from './reads.ts'
import { story as storyOf } from './story.ts'
import { writesOf } from './writes.ts'

/** Declared, so that the compiler reports here a call of the port that the farm lacks. */
export interface SimulatedFarm extends GameBridge {
  /** For tests and demos. */
  readonly controls: ReturnType<typeof controlsOf>
}

/** Seconds; the default of JunimoServer's `AUTH_TIMEOUT_SECONDS`. */
const defaultLoginTimeout = 120

/**
 * Starts a simulated farm. It has timers until `close` is called.
 * @example simulatedFarm({ seed: 'clover', speed: 1, clock: systemClock, version: '1.0.0' })
 */
export function simulatedFarm(options: FarmOptions): SimulatedFarm {
  const farm = newFarm(options)
  const chat = gameChat(farm)
  const story = storyOf(farm, chat)
  const days = dayCycle(farm, {
    step: story.evening,
    morning: () => {
      if (farm.isLiving) story.peopleTheFarm()
    },
  })
  const settle = () => {
    if (farm.isLiving) story.peopleTheFarm()
    farm.publish()
  }
  const pause = () => {
    days.cycle.stop()
    story.stop()
  }
  const resume = () => {
    days.cycle.start()
    if (farm.isLiving) story.start()
  }
  const loginTimeout = { seconds: defaultLoginTimeout }
  const parts = { farm, chat, days, story, settle, loginTimeout }

  farm.load()
  story.moveIn()
  farm.save()
  farm.publish()
  resume()
  return {
    controls: controlsOf(parts, pause, resume),
    ...readsOf(farm, () => loginTimeout.seconds),
    ...writesOf(parts),
    async close() {
      pause()
      farm.unsubscribeAll()
      farm.loop.become('closed')
    },
  }
}
