/** What happens in a simulation, made from its seed alone. */
import { type Random, seededRandom } from '../../bridges/simulated/random.ts'
import { type Lie, lies, type Trouble, troubles } from './game.ts'
import { type Place, places } from './model.ts'
import { type Cut, cuts } from './network.ts'

export type Action =
  | { readonly do: 'line' | 'hibernate' | 'crashEdge' | 'recover' }
  | { readonly do: 'burst'; readonly lines: number }
  | { readonly do: 'send' | 'move'; readonly client: number }
  | { readonly do: 'trouble'; readonly kind: Trouble }
  | { readonly do: 'lie'; readonly how: Lie }
  | { readonly do: 'cutLink'; readonly how: Cut }
  | { readonly do: 'cutClient'; readonly client: number; readonly how: Cut }
  | { readonly do: 'stallLink'; readonly milliseconds: number }
  | { readonly do: 'kill' | 'stop'; readonly milliseconds: number }
  | { readonly do: 'setClock'; readonly milliseconds: number }
  | { readonly do: 'write' | 'makeKey'; readonly place: Place }
  | { readonly do: 'useKey' | 'revokeKey'; readonly place: Place; readonly key: number }

export interface Step {
  /** Milliseconds since the start. */
  readonly at: number
  readonly action: Action
}

export const clients = 4

const action = (random: Random): Action => {
  const place = random.pick(places)
  const client = random.whole(0, clients - 1)
  const milliseconds = random.whole(0, random.chance(0.3) ? 60_000 : 3000)
  const key = random.whole(0, 20)
  return random.pick<Action>([
    { do: 'line' },
    { do: 'line' },
    { do: 'line' },
    { do: 'burst', lines: random.whole(2, 40) },
    { do: 'send', client },
    { do: 'send', client },
    { do: 'move', client },
    { do: 'hibernate' },
    { do: 'hibernate' },
    { do: 'crashEdge' },
    { do: 'trouble', kind: random.pick(troubles) },
    { do: 'recover' },
    { do: 'recover' },
    { do: 'lie', how: random.pick(lies) },
    { do: 'cutLink', how: random.pick(cuts) },
    { do: 'cutClient', client, how: random.pick(cuts) },
    { do: 'stallLink', milliseconds },
    { do: random.pick(['kill', 'stop']), milliseconds },
    { do: 'setClock', milliseconds: random.whole(-3_600_000, 3_600_000) },
    { do: 'write', place },
    { do: 'write', place },
    { do: 'write', place },
    { do: 'makeKey', place },
    { do: 'useKey', place, key },
    { do: 'useKey', place, key },
    { do: 'revokeKey', place, key },
  ])
}

const wait = (random: Random): number => {
  const kind = random.fraction()
  if (kind < 0.35) return random.whole(0, 20)
  if (kind < 0.85) return random.whole(0, 2000)
  return random.whole(0, kind < 0.98 ? 40_000 : 600_000)
}

const steps = 80
/** Milliseconds in which everything opens first. */
const start = 2000

export function planOf(seed: number): readonly Step[] {
  const random = seededRandom(`plan ${seed}`)
  let at = start
  return Array.from({ length: steps }, () => {
    at += wait(random)
    return { at, action: action(random) }
  })
}
