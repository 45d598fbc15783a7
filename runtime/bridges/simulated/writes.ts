/** What the port changes on the farm. */
import type { GameBridge } from '../../../handlers/game-bridge.ts'
import { GameError } from '../../../handlers/game-error.ts'
import * as change from './changes.ts'
import type { FarmChat } from './chat.ts'
import { type Days, gameMinute } from './days.ts'
import type { Farm } from './farm.ts'
import type { Story } from './story.ts'

/** The game gives a deletion longer than other writes (reference 1.5). */
const deleteBudget = 15_000

export interface Parts {
  readonly farm: Farm
  readonly chat: FarmChat
  readonly days: Days
  readonly story: Story
  /** Tells what has changed, once the people have taken their places. */
  settle(): void
  readonly loginTimeout: { seconds: number }
}

export function writesOf({ farm, chat, days, story, settle, loginTimeout }: Parts) {
  const { write } = farm.loop
  /** Makes a change and tells of it. */
  const changed = <T>(make: () => T, budget?: number) =>
    write(() => {
      const answer = make()
      settle()
      return answer
    }, budget)
  return {
    deleteFarmhand: (farmhand) => changed(() => change.deleteFarmhand(farm, farmhand), deleteBudget),
    rebindFarmhand: (farmhand, identity) => changed(() => change.rebindFarmhand(farm, farmhand, identity)),
    grantAdmin: (player) => write(() => change.grantAdmin(farm, player)),
    setTime: (timeOfDay) =>
      write(() => {
        change.mustBeDay(farm)
        days.setTime(timeOfDay)
      }),
    setRendering: (fps) =>
      write(() => {
        const before = farm.fps
        farm.fps = fps
        if (before !== fps) farm.emit({ type: 'rendering_changed', fps })
        return before
      }),
    sendChat: (line) =>
      write(() => {
        chat.relay(line)
        if (farm.isLiving) story.answer(line)
      }),
    // In the game's own time, which the simulation's speed multiplies like everything else.
    setClockSpeed: (multiplier) =>
      write(() => {
        farm.clockSpeed = multiplier
        days.cycle.start()
        return Math.max(1, Math.trunc(gameMinute / multiplier))
      }),
    setLoginTimeout: (seconds) =>
      write(() => {
        if (!farm.hasPassword)
          throw new GameError({
            kind: 'unsupported',
            what: 'time logins: password protection is not enabled',
          })
        const before = loginTimeout.seconds
        loginTimeout.seconds = seconds
        return before
      }),
    newGame: (options) => changed(() => change.newGame(farm, options)),
    reload: () => changed(() => change.reload(farm)),
  } satisfies Partial<GameBridge>
}
