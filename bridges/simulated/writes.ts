/** The write abilities of the port. */
import { FarmError, noSettingsFile } from '../../handlers/farm-error.ts'
import type { AbilityName } from '../../handlers/game-abilities.ts'
import type { GameBridge } from '../../handlers/game-bridge.ts'
import * as change from './changes.ts'
import type { GameChat } from './chat.ts'
import { type Days, gameMinute } from './days.ts'
import type { Farm } from './farm.ts'
import type { Story } from './story.ts'

export interface Parts {
  readonly farm: Farm
  readonly chat: GameChat
  readonly days: Days
  readonly story: Story
  /** Lets players join or leave as the change requires, then emits the events of all changes. */
  settle(): void
  readonly loginTimeout: { seconds: number }
}

export function writesOf({ farm, chat, days, story, settle, loginTimeout }: Parts) {
  const { perform } = farm.loop
  /** Performs a change and emits its events. */
  const changed = <T>(name: AbilityName, make: () => T) =>
    perform(name, () => {
      const answer = make()
      settle()
      return answer
    })
  return {
    deleteFarmhand: (farmhand) => changed('deleteFarmhand', () => change.deleteFarmhand(farm, farmhand)),
    rebindFarmhand: (farmhand, identity) =>
      changed('rebindFarmhand', () => change.rebindFarmhand(farm, farmhand, identity)),
    grantAdmin: (player) => perform('grantAdmin', () => change.grantAdmin(farm, player)),
    setTime: (timeOfDay) =>
      perform('setTime', () => {
        change.mustBeDay(farm)
        days.setTime(timeOfDay)
      }),
    changeSettings: () =>
      perform('changeSettings', () => {
        throw new FarmError(noSettingsFile)
      }),
    setRendering: (fps) =>
      perform('setRendering', () => {
        const before = farm.fps
        farm.fps = fps
        if (before !== fps) farm.emit({ type: 'rendering_changed', fps })
        return before
      }),
    sendChat: (line) =>
      perform('sendChat', () => {
        chat.relay(line)
        if (farm.isLiving) story.answer(line)
      }),
    announce: (message) =>
      perform('announce', () => {
        chat.announce(message)
        if (farm.isLiving) story.hear(message)
      }),
    // The answer is in the game's own time, without the `speed` of the simulation.
    setClockSpeed: (multiplier) =>
      perform('setClockSpeed', () => {
        farm.clockSpeed = multiplier
        days.cycle.start()
        return Math.max(1, Math.trunc(gameMinute / multiplier))
      }),
    setLoginTimeout: (seconds) =>
      perform('setLoginTimeout', () => {
        if (!farm.hasPassword)
          throw new FarmError({
            kind: 'unsupported',
            what: 'time logins: password protection is not enabled',
          })
        const before = loginTimeout.seconds
        loginTimeout.seconds = seconds
        return before
      }),
    newGame: (options) => changed('newGame', () => change.newGame(farm, options)),
    reload: () =>
      changed('reload', () => {
        if (farm.isLiving) story.loadedAgain()
        return change.reload(farm)
      }),
  } satisfies Partial<GameBridge>
}
