/** Finds the player or farmhand that a request names by `name` or by `playerId`, exactly one of them. */
import { docs } from './described.ts'
import { FarmError } from './farm-error.ts'
import type { Target } from './game-bridge.ts'
import { optional, playerId, text } from './parameter.ts'
import { Problem, problemOf } from './problem.ts'
import type { ProblemCode } from './problem-table.ts'

export const personParameters = {
  name: optional(
    text({
      description: docs('The name, in any case; exactly one of name and playerId'),
      example: 'Abby',
    }),
  ),
  // Only `name` has an example: the page at `/docs` fills examples in, and a request must have exactly one of the
  // two.
  playerId: optional({
    ...playerId,
    description: docs(`${playerId.description}; exactly one of name and playerId`),
  }),
} as const

interface Person {
  readonly name?: string
  readonly playerId?: bigint
}

/** @throws {Problem} invalid_parameter for both or neither */
export function onePerson({
  name,
  playerId,
}: Person): { readonly name: string } | { readonly playerId: bigint } {
  if (name !== undefined && playerId !== undefined)
    throw new Problem('invalid_parameter', "Provide either 'name' or 'playerId', not both")
  if (playerId !== undefined) return { playerId }
  if (name !== undefined) return { name }
  throw new Problem('invalid_parameter', "Missing 'name' or 'playerId' query parameter")
}

/** Lists the players or farmhands with their ids. */
type People = () => Promise<Iterable<{ readonly id: bigint }>>

/** A name for comparison in any case: `ß` equals `SS`, and composed characters equal decomposed ones. */
export const folded = (name: string) => name.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC')

/**
 * Finds the person of a query. A name is looked up among `people`, which never include the host; an id is not looked
 * up, because the game itself answers whether it has it.
 * @param people called only for a name
 * @throws {Problem} invalid_parameter for both or neither, the code `unknown` for an unknown name, ambiguous_name for
 *   a name that several people have
 */
export async function personTarget(
  query: Person,
  people: () => Promise<Iterable<{ readonly id: bigint; readonly name: string }>>,
  unknown: Extract<ProblemCode, 'player_not_found' | 'farmhand_not_found'>,
): Promise<Target> {
  const person = onePerson(query)
  if ('playerId' in person) return { id: person.playerId, label: `id=${person.playerId}` }
  const { name } = person
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

/**
 * The same person with the name as its label, where the request gave the id. The label stays the id when it belongs to
 * no person, or to a farmhand without a name yet.
 */
export async function calledByName(
  target: Target,
  people: () => Promise<Iterable<{ readonly id: bigint; readonly name: string }>>,
): Promise<Target> {
  const known = await people().catch(() => [])
  for (const { id, name } of known) if (id === target.id && name !== '') return { id, label: `'${name}'` }
  return target
}

/**
 * Runs a change of one person. When the game does not have the id, but has another id that is the same number as a
 * double, the error says that the caller's program rounds ids.
 * @param people called only when the id is not found
 * @param instead what to send in place of the rounded id, completes "use "
 * @throws {Problem} player_not_found, farmhand_not_found: the id looks rounded
 * @throws {FarmError} any other failure of `change`
 */
export async function changePerson<Answer>(
  { id }: Target,
  people: People,
  instead: 'idText' | 'idText or name',
  change: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await change()
  } catch (error) {
    if (!(error instanceof FarmError)) throw error
    const { code, message } = problemOf(error.failure)
    if (code !== 'player_not_found' && code !== 'farmhand_not_found') throw error
    const known = await people().catch(() => [])
    if (![...known].some((person) => isRounded(id, person.id))) throw error
    throw new Problem(
      code,
      `${message}; it looks rounded by a program that reads ids as doubles: use ${instead}`,
    )
  }
}

/**
 * Whether two ids differ but are the same double. They are compared as numbers, because programs print a double's
 * digits in several ways.
 */
const isRounded = (id: bigint, known: bigint) => id !== known && Number(id) === Number(known)
