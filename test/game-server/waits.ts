/** The game's long polls: filters that do not parse are silently ignored. */
import { pause } from '../wait.ts'
import { reads } from './reads.ts'
import type { Snapshot, World } from './world.ts'

const maxTimeout = 10_000

const boolean = (text: string | null) =>
  text === null ? undefined : { true: true, false: false }[text.toLowerCase()]
const whole = (text: string | null) => (text !== null && /^-?\d+$/.test(text) ? Number(text) : undefined)

const is = <T>(wanted: T | undefined, actual: T) => wanted === undefined || wanted === actual

function statusMatches({ status }: Snapshot, query: URLSearchParams): boolean {
  return (
    is(boolean(query.get('isReady')), status.isReady) &&
    is(boolean(query.get('dayTransitionComplete')), status.dayTransitionComplete) &&
    is(boolean(query.get('isPaused')), status.isPaused) &&
    is(whole(query.get('day')), status.day) &&
    is(whole(query.get('playerCount')), status.playerCount)
  )
}

function playersMatch({ players }: Snapshot, query: URLSearchParams): boolean {
  const id = query.get('playerId')
  return id === null || players.players.some((player) => `${player.id}` === id)
}

function farmhandsMatch({ farmhands: { farmhands } }: Snapshot, query: URLSearchParams): boolean {
  const name = query.get('hasFarmhand')?.toLowerCase()
  const customized = boolean(query.get('requireCustomized')) ?? false
  return (
    is(whole(query.get('farmhandCount')), farmhands.length) &&
    (name === undefined ||
      farmhands.some((one) => one.name.toLowerCase() === name && (!customized || one.isCustomized)))
  )
}

const filters = {
  '/wait/status': [statusMatches, '/status'],
  '/wait/players': [playersMatch, '/players'],
  '/wait/farmhands': [farmhandsMatch, '/farmhands'],
} as const

/** The body once the snapshot matches, undefined after the time limit; undefined at once for other paths. */
export function waitFor(path: string, world: World, query: URLSearchParams): Promise<unknown> | undefined {
  const filter = filters[path as keyof typeof filters]
  if (filter === undefined) return undefined
  const [matches, plain] = filter
  const asked = whole(query.get('timeout')) ?? maxTimeout
  const until = Date.now() + (asked > 0 ? Math.min(asked, maxTimeout) : maxTimeout)
  const since = whole(query.get('since')) ?? 0
  const look = async () => {
    for (;;) {
      const { snapshot } = world
      if (snapshot.status.version > since && matches(snapshot, query)) return reads[plain]?.(world, query)
      if (Date.now() >= until) return undefined
      await pause(10)
    }
  }
  return look()
}

/** Whether the query has more than the cursor and the time: then the game answers when the value last changed. */
export const hasFilter = (query: URLSearchParams): boolean =>
  [...query.keys()].some((name) => name !== 'since' && name !== 'timeout')
