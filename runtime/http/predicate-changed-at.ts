/**
 * Since when the filters of the long polls have held, for `X-Predicate-Changed-At-Ms-Ago`: programs for the existing
 * game server measure with it how long a change took to reach them.
 */
import type { GameEvent } from '../../handlers/game-event.ts'
import { playerFilter, statusFilters } from '../../handlers/wait-parameters.ts'

/** Maximum of remembered filters; then the one with the oldest change is forgotten. */
const maxFilters = 1000

export type FilterChanges = ReturnType<typeof filterChanges>

/** @param now milliseconds since 1970 */
export function filterChanges(now: () => number) {
  const began = now()
  const filters = new Map<string, { readonly value: unknown; readonly at: number }>()
  const take = (name: string, value: unknown): number => {
    const before = filters.get(name)
    if (before !== undefined && before.value === value) return before.at
    const at = before === undefined ? began : now()
    filters.delete(name)
    filters.set(name, { value, at })
    const [first] = filters.size > maxFilters ? filters.keys() : []
    if (first !== undefined) filters.delete(first)
    return at
  }
  return {
    /** Call this with every event of the game, so that a change is seen when it happens and not at the next long poll. */
    heard(event: GameEvent) {
      if (event.type === 'status_changed')
        for (const [name, value] of Object.entries(statusFilters(event.status))) take(name, value)
      if (event.type === 'player_joined' || event.type === 'player_left') {
        const name = playerFilter(event.player.id)
        // Before the event the filter had the opposite value.
        take(name, event.type === 'player_left')
        take(name, event.type === 'player_joined')
      }
    },
    /**
     * Remembers the present values of filters.
     * @returns when the last of them changed, milliseconds since 1970; for a filter without a seen change, when
     * `filterChanges` was called
     */
    seen: (values: Readonly<Record<string, unknown>>) =>
      Math.max(...Object.entries(values).map(([name, value]) => take(name, value))),
  }
}
