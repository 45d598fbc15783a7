/** What a test, or a demo, can make happen on a simulated farm beyond what the port can. */
import type { AbilityName } from '../../../handlers/game-abilities.ts'
import type { ChatLine } from '../../../handlers/game-bridge.ts'
import type { Lobbies } from './lobbies.ts'
import { type Entry, enter, leave } from './visits.ts'
import type { Parts } from './writes.ts'

export interface Controls {
  /**
   * Somebody connects, as the farmhand with that id (made when there is none) or as a free one. Calling it twice
   * with one name makes two players of that name.
   * @param connectionId `SN_…`, `GN_…` or `L_…`; by default the owner's own, or a new relay account
   */
  join(knock: { name: string; id?: bigint; connectionId?: string }): Entry
  /** @returns false when nobody of that id is there */
  leave(id: bigint): boolean
  /** @returns false when nobody of that id is there to be heard */
  say(id: bigint, message: string): boolean
  /** @returns false when nobody of that id is there; the last one in bed ends the day */
  goToBed(id: bigint): boolean
  /** A festival on an ordinary day: not ready, and nothing is refused. */
  festival(isOn: boolean): void
  /** The night's save begins now; the next day begins when it ends. */
  save(): void
  /** The game loop stops: reads are answered, writes wait. */
  freeze(): void
  thaw(): void
  /** Takes every call and answers none. */
  fallSilent(): void
  /** Calls end as `unavailable`; of those that wait the answers are lost. */
  goAway(): void
  comeBack(): void
  /** What the players have seen in the chat, newest last. */
  readonly chatSeen: readonly string[]
  /** What came into the chat from outside, newest last. */
  readonly chatRelayed: readonly ChatLine[]
  isAdmin(id: bigint): boolean
  readonly lobbies: Lobbies
  /** The host's farmer, which the server itself plays. */
  readonly hostId: bigint
  /** Writes that reached the game, refused ones included. */
  readonly writes: number
  /** What was asked and waits, because the farm stands still. */
  readonly waiting: readonly AbilityName[]
}

export function controlsOf(
  { farm, chat, days, settle }: Omit<Parts, 'loginTimeout'>,
  pause: () => void,
  resume: () => void,
): Controls {
  const stand = (state: 'frozen' | 'silent' | 'away') => () => {
    pause()
    farm.loop.become(state)
    farm.publish()
  }
  const goOn = () => {
    farm.loop.become('running')
    settle()
    resume()
  }
  const usual = (id: bigint | undefined): string => {
    const owner = farm.world.slots.find((slot) => slot.id === id)?.owner
    if (owner?.joinPath === 'lan') return 'L_127.0.0.1'
    const identity = owner?.identity ?? String(0x0110000100000000n + BigInt(farm.random.whole(1, 2 ** 31)))
    return `${owner?.joinPath === 'galaxy' ? 'GN' : 'SN'}_${identity}`
  }
  return {
    join({ name, id, connectionId = usual(id) }) {
      const knock = { name, connectionId, loggedInAt: farm.clock.now(), ...(id !== undefined && { id }) }
      const entry = enter(farm.world, farm.random, knock, farm.log)
      settle()
      return entry
    },
    leave(id) {
      const left = leave(farm.world, id)
      settle()
      return left
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
    freeze: stand('frozen'),
    thaw: goOn,
    fallSilent: stand('silent'),
    goAway: stand('away'),
    comeBack: goOn,
    chatSeen: chat.seen,
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
