/** Whom a request means: `name` or `playerId`, exactly one of them. */
import type { Target } from './game-bridge.ts'
import { GameError } from './game-error.ts'
import { optional, playerId, text } from './parameter.ts'
import { Problem, type ProblemCode, problemOf } from './problem.ts'

export const personParameters = {
  name: optional(
    text({ description: 'The name, in any case; exactly one of name and playerId', example: 'Abby' }),
  ),
  // Only `name` has an example: the reference page fills examples in, and a request has one of the two.
  playerId: optional({
    ...playerId,
    description: `${playerId.description}; exactly one of name and playerId`,
  }),
} as const

interface Person {
  readonly name?: string
  readonly playerId?: bigint
}

/** Those whom an id may mean. */
type People = () => Promise<Iterable<{ readonly id: bigint }>>

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

/**
 * The same person, called by name in a sentence where the request gave the id.
 * The id stays in the sentence where nobody has that id, or its farmhand has no name yet.
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
 * Makes a change of one person. Where the game does not know the id, but knows one that is the same number
 * as a double, the answer tells the caller that its program rounds ids.
 * @param people read only when the id is not found
 * @param instead what the request takes in place of the rounded id, completing "use "
 * @throws {Problem} player_not_found, farmhand_not_found, where the id looks rounded
 * @throws {GameError} whatever else `change` fails with
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
    if (!(error instanceof GameError)) throw error
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

/** Whether two ids differ but are the same double. Programs write that double's digits in several ways. */
const isRounded = (id: bigint, known: bigint) => id !== known && Number(id) === Number(known)
