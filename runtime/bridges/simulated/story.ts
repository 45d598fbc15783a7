/** What people do of their own accord: come, talk, go to bed and leave. */
import type { ChatLine } from '../../../handlers/game-bridge.ts'
import type { FarmChat } from './chat.ts'
import { recurring } from './clock.ts'
import type { Farm } from './farm.ts'
import { answers, cast, connectionIdOf, goodNights, type Person, smallTalk } from './people.ts'
import { enter, leave } from './visits.ts'
import { isDayRunning, isOffline, type Slot } from './world.ts'

/** Real milliseconds at speed 1, shortest and longest. */
const betweenLines = [15_000, 25_000] as const
const betweenVisits = [40_000, 110_000] as const
const untilAnswer = [2_000, 6_000] as const
/** After some visits, shortest and longest, everybody is away for a while: the farm can be reloaded or replaced. */
const visitsUntilBreak = [6, 9] as const
const breakLasts = [60_000, 90_000] as const
/** How long a joiner takes to type the farm's password. */
const loginTakes = 5_000

const firstPeople = 3

const bedtime = 2200
const late = 2400

export interface Story {
  start(): void
  stop(): void
  /** A new farm gets its first people. */
  moveIn(): void
  /** Whenever the farm is at work, but for a break, somebody is there; a claimed farmhand is offline. */
  peopleTheFarm(): void
  /** Ten minutes have passed. @returns true when everybody is in bed */
  evening(): boolean
  /** Somebody outside wrote; a player may answer. */
  answer(line: ChatLine): void
}

export function story(farm: Farm, chat: FarmChat): Story {
  const { random, clock } = farm
  const everyone = cast(random)
  let lastNewcomer = random.pick(everyone)
  /** Who plays a farmhand; people whom a control brought in are nobody's in particular. */
  const playing = new Map<bigint, Person>()
  let pendingAnswer = () => {}
  let visitsLeft = random.whole(...visitsUntilBreak)
  let isBreak = false
  const within = ([shortest, longest]: readonly [number, number]) =>
    random.whole(shortest, longest) / farm.speed
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
  /** One after the other, so that whoever was just deleted is not the next to come. */
  const newcomer = (): Person => {
    const here = new Set(farm.world.slots.map(({ name }) => name))
    const from = (everyone.indexOf(lastNewcomer) + 1) % everyone.length
    const queue = [...everyone.slice(from), ...everyone.slice(0, from)]
    lastNewcomer = queue.find(({ name }) => !here.has(name)) ?? random.pick(everyone)
    const { name } = lastNewcomer
    return here.has(name) ? { ...lastNewcomer, name: `${name} ${farm.world.slots.length}` } : lastNewcomer
  }
  /** Somebody who was here before, now and then through the door that is not theirs. */
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
  /** Some of those who left come back, but for one, who stays offline. */
  const endBreak = () => {
    isBreak = false
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
      chat.say(random.pick(speakers).slot.id, random.pick(smallTalk))
  }
  const talking = recurring(clock, () => within(betweenLines), talk)
  const visiting = recurring(clock, () => within(isBreak ? breakLasts : betweenVisits), visit)

  return {
    start() {
      talking.start()
      visiting.start()
    },
    stop() {
      talking.stop()
      visiting.stop()
      pendingAnswer()
    },
    moveIn() {
      const most = Math.min(firstPeople, farm.world.settings.shown.server.maxPlayers)
      for (let came = 0; came < most; came += 1) come(newcomer(), undefined)
      peopleTheFarm()
    },
    peopleTheFarm,
    evening() {
      const { timeOfDay } = farm.world
      if (timeOfDay < bedtime) return false
      for (const visitor of awake())
        if (random.chance(timeOfDay < late ? 0.12 : 0.3)) {
          visitor.isInBed = true
          if (random.chance(0.5)) chat.say(visitor.slot.id, random.pick(goodNights))
        }
      return farm.world.visitors.size > 0 && awake().length === 0
    },
    answer({ author }) {
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
