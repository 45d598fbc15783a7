/** The behaviour of the simulated players: they join, chat, go to bed and leave. */
import type { ChatLine } from '../../handlers/game-bridge.ts'
import { recurring } from '../../lib/clock.ts'
import type { GameChat } from './chat.ts'
import type { Farm } from './farm.ts'
import { answers, cast, connectionIdOf, goodNights, type Person, smallTalk } from './people.ts'
import { enter, leave } from './visits.ts'
import { isDayRunning, isOffline, type Slot } from './world.ts'

/** Ranges in real milliseconds at speed 1: minimum and maximum. */
const betweenLines = [15_000, 25_000] as const
const betweenVisits = [40_000, 110_000] as const
const untilAnswer = [2_000, 6_000] as const
/** After this many joins or leaves (minimum and maximum) all players are offline for a while, so that `/reload` and `/newgame` can succeed. */
const visitsUntilBreak = [6, 9] as const
const breakLasts = [60_000, 90_000] as const
/** Milliseconds at speed 1 that a player takes to type the password. */
const loginTakes = 5_000

/** What the server says before it disconnects everyone: the players leave, and come back when the farm is loaded again. */
const warning = /^The server .+ in (a moment|[0-9]+ minutes?)\b/

/** How often a line is for the bot of the README. */
const greetsBot = 0.2

const firstPeople = 3

const bedtime = 2200
const late = 2400

export type Story = ReturnType<typeof story>

export function story(farm: Farm, chat: GameChat) {
  const { random, clock } = farm
  const everyone = cast(random)
  let lastNewcomer = random.pick(everyone)
  /** The person who plays each farmhand, without players that joined by a control. */
  const playing = new Map<bigint, Person>()
  let pendingAnswer = () => {}
  let pendingLeave = () => {}
  let visitsLeft = random.whole(...visitsUntilBreak)
  let isBreak = false
  /** In a break after which they come back soon. */
  let isLoaded = false
  const within = ([minimum, maximum]: readonly [number, number]) =>
    random.whole(minimum, maximum) / farm.speed
  const offline = () => farm.world.slots.filter((slot) => isOffline(farm.world, slot))
  const online = () => [...farm.world.visitors.values()]
  const awake = () => online().filter(({ isInBed }) => !isInBed)

  const come = (person: Person, slot: Slot | undefined, path = person.usualPath): boolean => {
    const entry = enter(
      farm.world,
      random,
      {
        name: person.name,
        connectionId: connectionIdOf(person, path),
        loggedInAt: clock.now() + (farm.hasPassword ? loginTakes / farm.speed : 0),
        ...(slot !== undefined && { id: slot.id }),
      },
      farm.log,
    )
    if (entry.refused === undefined) playing.set(entry.id, person)
    return entry.refused === undefined
  }
  /**
   * The next person of the list who has no farmhand, so that one whose farmhand was just deleted does not join at
   * once.
   */
  const newcomer = (): Person => {
    const here = new Set(farm.world.slots.map(({ name }) => name))
    const from = (everyone.indexOf(lastNewcomer) + 1) % everyone.length
    const queue = [...everyone.slice(from), ...everyone.slice(0, from)]
    lastNewcomer = queue.find(({ name }) => !here.has(name)) ?? random.pick(everyone)
    const { name } = lastNewcomer
    return here.has(name) ? { ...lastNewcomer, name: `${name} ${farm.world.slots.length}` } : lastNewcomer
  }
  /** A former player, sometimes by the other join path. */
  const comeBack = (slot: Slot): boolean => {
    const person = playing.get(slot.id)
    if (person === undefined) return false
    const other = person.usualPath === 'relay' ? 'galaxy' : 'relay'
    return come(person, slot, random.chance(0.1) ? other : person.usualPath)
  }
  const someoneLeaves = () => leave(farm.world, random.pick(online()).slot.id)

  const peopleTheFarm = () => {
    if (!isDayRunning(farm.world) || isBreak) return
    if (farm.world.visitors.size === 0) {
      const away = offline()
      if (away.length < 2 || !comeBack(random.pick(away))) come(newcomer(), undefined)
    }
    if (offline().length > 0) return
    const [first] = online()
    if (farm.world.visitors.size === 1 && first !== undefined) {
      leave(farm.world, first.slot.id)
      come(newcomer(), undefined)
    } else someoneLeaves()
  }
  const startBreak = () => {
    visitsLeft = random.whole(...visitsUntilBreak)
    isBreak = true
    for (const { slot } of online()) leave(farm.world, slot.id)
    farm.publish()
  }
  /** Some players join again; at least one claimed farmhand stays offline. */
  const endBreak = () => {
    isBreak = false
    isLoaded = false
    const room = farm.world.settings.shown.server.maxPlayers - farm.world.visitors.size
    for (const slot of offline().slice(1, 1 + Math.min(firstPeople, room))) comeBack(slot)
    peopleTheFarm()
    farm.publish()
  }
  const visit = () => {
    if (!isDayRunning(farm.world)) return
    if (isBreak) return endBreak()
    visitsLeft -= 1
    if (visitsLeft === 0) return startBreak()
    const { maxPlayers } = farm.world.settings.shown.server
    const away = offline()
    const claimed = away.length + farm.world.visitors.size
    const hasRoom = farm.world.visitors.size < maxPlayers
    if (!hasRoom || (farm.world.visitors.size > 1 && random.chance(0.45))) someoneLeaves()
    else if (hasRoom && claimed < maxPlayers && (away.length < 2 || random.chance(0.3)))
      come(newcomer(), undefined)
    else if (hasRoom && away.length > 1) comeBack(random.pick(away))
    peopleTheFarm()
    farm.publish()
  }
  const talk = () => {
    const speakers = awake().filter(({ loggedInAt }) => loggedInAt <= clock.now())
    if (isDayRunning(farm.world) && speakers.length > 0)
      chat.say(random.pick(speakers).slot.id, random.chance(greetsBot) ? 'hi bot' : random.pick(smallTalk))
  }
  const talking = recurring(clock.after, () => within(betweenLines), talk)
  const untilVisit = () => within(isLoaded ? untilAnswer : isBreak ? breakLasts : betweenVisits)
  const visiting = recurring(clock.after, untilVisit, visit)

  return {
    start() {
      talking.start()
      visiting.start()
    },
    stop() {
      talking.stop()
      visiting.stop()
      pendingAnswer()
      pendingLeave()
    },
    /** The first players of a new farm join. */
    moveIn() {
      const count = Math.min(firstPeople, farm.world.settings.shown.server.maxPlayers)
      for (let joined = 0; joined < count; joined += 1) come(newcomer(), undefined)
      peopleTheFarm()
    },
    /** Makes sure that, except in a break, at least one player is online and at least one claimed farmhand is offline. */
    peopleTheFarm,
    /** Called after every ten-minute step. @returns true when all players are in bed */
    evening(): boolean {
      const { timeOfDay } = farm.world
      if (timeOfDay < bedtime) return false
      for (const visitor of awake())
        if (random.chance(timeOfDay < late ? 0.12 : 0.3)) {
          visitor.isInBed = true
          if (random.chance(0.5)) chat.say(visitor.slot.id, random.pick(goodNights))
        }
      return farm.world.visitors.size > 0 && awake().length === 0
    },
    /** Called with a line of the server. */
    hear(message: string) {
      if (!warning.test(message) || isBreak) return
      pendingLeave()
      pendingLeave = clock.after(within(untilAnswer), () => {
        startBreak()
        visiting.start()
      })
    },
    /** The farm was loaded again: players who have left for that come back. */
    loadedAgain() {
      if (!isBreak) return
      isLoaded = true
      visiting.start()
    },
    /** Called with a chat line from the API; a player may answer it. */
    answer({ author }: ChatLine) {
      if (!random.chance(0.5)) return
      const words = random.pick(answers)(author)
      pendingAnswer()
      pendingAnswer = clock.after(within(untilAnswer), () => {
        const speakers = awake()
        if (speakers.length > 0) chat.say(random.pick(speakers).slot.id, words)
      })
    },
  }
}
