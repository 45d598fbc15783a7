/** Controls of a simulated farm, for tests and demos: events that the port cannot cause, and its inner state. */
import type { AbilityName } from '../../handlers/game-abilities.ts'
import type { ChatLine } from '../../handlers/game-bridge.ts'
import type { Lobbies } from './lobbies.ts'
import { enter, type JoinResult, leave } from './visits.ts'
import type { Parts } from './writes.ts'

export interface Controls {
  /**
   * A player connects, as the farmhand with that id (created when there is none) or as a free one. Calling it twice
   * with one name makes two players of that name.
   * @param connectionId `SN_…`, `GN_…` or `L_…`; by default the owner's, or that of a new Steam account
   */
  join(request: { name: string; id?: bigint; connectionId?: string }): JoinResult
  /** @returns false when no player of that id is online */
  leave(id: bigint): boolean
  /** The farmhand of that id gets another name, also while its player is online. @returns false when there is none */
  rename(id: bigint, name: string): boolean
  /** @returns false when no player of that id is online and logged in */
  say(id: bigint, message: string): boolean
  /** When all players are in bed the day ends. @returns false when no player of that id is online */
  goToBed(id: bigint): boolean
  /** Starts or ends a festival on an ordinary day: the status is not ready, and every call is still accepted. */
  festival(isOn: boolean): void
  /** Starts the save of the night; the next day begins when it ends. */
  save(): void
  /** Stops the game loop: reads are answered, writes wait until `thaw`. */
  freeze(): void
  thaw(): void
  /** Accepts every call and answers none until `comeBack`. */
  fallSilent(): void
  /** New calls fail with `unavailable`; waiting calls lose their answers. */
  goOffline(): void
  comeBack(): void
  /** The lines that players have seen in the chat, newest last. */
  readonly chatSeen: readonly string[]
  /** Calls the listener with each line that comes into the chat from the API. */
  onRelayed(listener: (line: ChatLine) => void): void
  /** The lines that came into the chat from the API, newest last. */
  readonly chatRelayed: readonly ChatLine[]
  isAdmin(id: bigint): boolean
  readonly lobbies: Lobbies
  /** The host's farmer, which the server itself plays. */
  readonly hostId: bigint
  /** The number of writes that reached the game, rejected ones included. */
  readonly writes: number
  /** The calls that wait because the game loop does not run. */
  readonly waiting: readonly AbilityName[]
}

export function controlsOf(
  { farm, chat, days, settle }: Omit<Parts, 'loginTimeout'>,
  pause: () => void,
  resume: () => void,
): Controls {
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
    join({ name, id, connectionId = defaultConnectionId(id) }) {
      const request = { name, connectionId, loggedInAt: farm.clock.now(), ...(id !== undefined && { id }) }
      const entry = enter(farm.world, farm.random, request, farm.log)
      settle()
      return entry
    },
    leave(id) {
      const left = leave(farm.world, id)
      settle()
      return left
    },
    rename(id, name) {
      const slot = farm.world.slots.find((one) => one.id === id)
      if (slot === undefined) return false
      slot.name = name
      settle()
      return true
    },
    say: chat.say,
    goToBed(id) {
      const visitor = farm.world.visitors.get(id)
      if (visitor === undefined) return false
      visitor.isInBed = true
      if ([...farm.world.visitors.values()].every(({ isInBed }) => isInBed)) days.end()
      return true
    },
    festival(isOn) {
      farm.world.isFestivalForced = isOn
      settle()
    },
    save: days.save,
    freeze: stop('frozen'),
    thaw: goOn,
    fallSilent: stop('silent'),
    goOffline: stop('away'),
    comeBack: goOn,
    chatSeen: chat.seen,
    onRelayed: chat.onRelayed,
    chatRelayed: chat.relayed,
    isAdmin: (id) => farm.world.admins.has(id),
    get lobbies() {
      return farm.world.lobbies
    },
    get hostId() {
      return farm.world.hostId
    },
    get writes() {
      return farm.loop.writes
    },
    get waiting() {
      return farm.loop.waiting
    },
  }
}
