/** Whom a request means: `name` or `playerId`, exactly one of them (seed, Player identifiers). */
import type { Target } from './game-bridge.ts'
import { optional, playerId, text } from './parameter.ts'
import { Problem, type ProblemCode } from './problem.ts'

export const personParameters = {
  name: optional(
    text({ description: 'The name, in any case; exactly one of name and playerId', example: 'Abby' }),
  ),
  playerId: optional({
    ...playerId,
    description: `${playerId.description}; exactly one of name and playerId`,
  }),
} as const

interface Person {
  readonly name?: string
  readonly playerId?: bigint
}

/** Unicode case folding near enough for names: `ß` meets `SS`, and composed meets decomposed. */
export const folded = (name: string) => name.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC')

/**
 * Resolves whom a query means among the farm's people, which never include the host.
 * An id is taken as it is: the game knows best whether it has it.
 * @param people read only when a name must be looked up
 * @throws {Problem} invalid_parameter for both or neither, `unknown` for no such name, ambiguous_name for several
 */
export async function personTarget(
  { name, playerId }: Person,
  people: () => Promise<Iterable<{ readonly id: bigint; readonly name: string }>>,
  unknown: Extract<ProblemCode, 'player_not_found' | 'farmhand_not_found'>,
): Promise<Target> {
  if (name !== undefined && playerId !== undefined)
    throw new Problem('invalid_parameter', "Provide either 'name' or 'playerId', not both")
  if (playerId !== undefined) return { id: playerId, label: `id=${playerId}` }
  if (name === undefined)
    throw new Problem('invalid_parameter', "Missing 'name' or 'playerId' query parameter")
  const wanted = folded(name)
  const ids = new Set<bigint>()
  for (const person of await people()) if (folded(person.name) === wanted) ids.add(person.id)
  const [id] = ids
  const what = unknown === 'player_not_found' ? 'Player' : 'Farmhand'
  if (id === undefined) throw new Problem(unknown, `${what} '${name}' not found`)
  if (ids.size > 1)
    throw new Problem('ambiguous_name', `${ids.size} players are called '${name}'; use 'playerId' instead`)
  return { id, label: `'${name}'` }
}
