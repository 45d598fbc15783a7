/** Controls of a simulated farm, for tests and demos: events that the port cannot cause, and its inner state. */
import type { AbilityName } from '../../handlers/game-abilities.ts'
import { loadAgain } from './changes.ts'
import type { Lobbies } from './lobbies.ts'
import { enter, leave } from './visits.ts'
import type { Parts } from './writes.ts'

export function controlsOf(
  { farm, chat, days, story, settle }: Omit<Parts, 'loginTimeout'>,
  pause: () => void,
  resume: () => void,
) {
  const stop = (state: 'frozen' | 'silent' | 'away') => () => {
    pause()
    farm.loop.become(state)
    farm.publish()
  }
  const goOn = () => {
    farm.loop.become('running')
    settle()
    resume()
  }
  const defaultConnectionId = (id: bigint | undefined): string => {
    const owner = farm.world.slots.find((slot) => slot.id === id)?.owner
    if (owner?.joinPath === 'lan') return 'L_127.0.0.1'
    const identity = owner?.identity ?? String(0x0110000100000000n + BigInt(farm.random.whole(1, 2 ** 31)))
    return `${owner?.joinPath === 'galaxy' ? 'GN' : 'SN'}_${identity}`
  }
  return {
    /**
     * A player connects, as the farmhand with that id (created when there is none) or as a free one. Calling it twice
     * with one name makes two players of that name.
     * @param connectionId `SN_…`, `GN_…` or `L_…`; by default the owner's, or that of a new Steam account
     */
    join({
      name,
      id,
      connectionId = defaultConnectionId(id),
    }: {
      name: string
      id?: bigint
      connectionId?: string
    }) {
      const request = { name, connectionId, loggedInAt: farm.clock.now(), ...(id !== undefined && { id }) }
      const entry = enter(farm.world, farm.random, request, farm.log)
      settle()
      return entry
    },
    /** @returns false when no player of that id is online */
    leave(id: bigint): boolean {
      const left = leave(farm.world, id)
      settle()
      return left
    },
    /** The farmhand of that id gets another name, also while its player is online. @returns false when there is none */
    rename(id: bigint, name: string): boolean {
      const slot = farm.world.slots.find((one) => one.id === id)
      if (slot === undefined) return false
      slot.name = name
      settle()
      return true
    },
    /** @returns false when no player of that id is online and logged in */
    say: chat.say,
    /** When all players are in bed the day ends. @returns false when no player of that id is online */
    goToBed(id: bigint): boolean {
      const visitor = farm.world.visitors.get(id)
      if (visitor === undefined) return false
      visitor.isInBed = true
      if ([...farm.world.visitors.values()].every(({ isInBed }) => isInBed)) days.end()
      return true
    },
    /** Starts or ends a festival on an ordinary day: the status is not ready, and every call is still accepted. */
    festival(isOn: boolean) {
      farm.world.isFestivalForced = isOn
      settle()
    },
    /** Starts the save of the night; the next day begins when it ends. */
    save: days.save,
    /** Stops the game loop: reads are answered, writes wait until `thaw`. */
    freeze: stop('frozen'),
    thaw: goOn,
    /** Accepts every call and answers none until `comeBack`. */
    fallSilent: stop('silent'),
    /** New calls fail with `unavailable`; waiting calls lose their answers. */
    goOffline: stop('away'),
    comeBack: goOn,
    /** Every player is disconnected. */
    disconnectAll() {
      for (const id of [...farm.world.visitors.keys()]) leave(farm.world, id)
      farm.publish()
    },
    /** The name of the present farm's save. */
    get saveName(): string {
      return farm.saveName
    },
    /** Loads another save. @returns false when there is no such save */
    play(name: string): boolean {
      const isPlayed = farm.play(name)
      settle()
      story.loadedAgain()
      return isPlayed
    },
    /** The process starts again. @param next the save that it loads, its last one unless given; empty for a new farm */
    startAgain(next = farm.saveName) {
      if (next === '') farm.startOver(farm.readSettings())
      else if (next === farm.saveName || !farm.play(next)) loadAgain(farm)
      goOn()
      story.loadedAgain()
    },
    /** The lines that players have seen in the chat, newest last. */
    chatSeen: chat.seen,
    /** Calls the listener with each line that comes into the chat from the API. */
    onRelayed: chat.onRelayed,
    /** The lines that came into the chat from the API, newest last. */
    chatRelayed: chat.relayed,
    isAdmin: (id: bigint): boolean => farm.world.admins.has(id),
    get lobbies(): Lobbies {
      return farm.world.lobbies
    },
    /** The host's farmer, which the server itself plays. */
    get hostId(): bigint {
      return farm.world.hostId
    },
    /** The number of writes that reached the game, rejected ones included. */
    get writes(): number {
      return farm.loop.writes
    },
    /** The calls that wait because the game loop does not run. */
    get waiting(): readonly AbilityName[] {
      return farm.loop.waiting
    },
  }
}
