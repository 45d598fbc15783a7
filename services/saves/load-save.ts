/** Makes the game load a save, through its console. */
import { FarmError } from '../../handlers/farm-error.ts'
import type { GameBridge } from '../../handlers/game-bridge.ts'
import type { Host } from '../../handlers/host.ts'
import { requireNoPlayers } from '../../handlers/no-players.ts'
import type { ChosenSave } from '../../handlers/save-record.ts'
import { saveBudgets } from '../../handlers/saves.ts'
import type { Clock } from '../../lib/clock.ts'
import type { ListedSave } from './list-saves.ts'
import { isSameDay } from './saves-folder.ts'

export interface LoadParts {
  readonly game: Pick<GameBridge, 'status' | 'players'>
  readonly host: Pick<Host, 'host' | 'typeLine'>
  readonly clock: Pick<Clock, 'now' | 'after'>
}

/** Milliseconds between two looks at what the game plays. */
const pause = 500
/** What JunimoServer prints where it does not load the save. */
const refusal = /unknown|usage:|did not complete|refusing to reload|reload failed|not found/i

/**
 * The line that makes JunimoServer load a save.
 * @throws {FarmError} invalid_argument for a name that could be more than one argument there
 */
export function lineFor(name: string): string {
  if (/["\\\p{Cc}]/u.test(name) || name.startsWith('-'))
    throw new FarmError({
      kind: 'invalid_argument',
      sentence:
        'A save whose name has quotes, backslashes or control characters cannot be named at the console',
      parameter: 'name',
    })
  return `saves import ${/\s/u.test(name) ? `"${name}"` : name} --reload`
}

/** Whether farmgate can type at the game's console. */
export const hasConsole = (host: LoadParts['host']): Promise<boolean> =>
  host.host().then(
    ({ can }) => can.console,
    (error: unknown) => {
      if (error instanceof FarmError && error.failure.kind === 'unsupported') return false
      throw error
    },
  )

/**
 * Types the line, and waits until the game reports the farm and the day of the save.
 * @throws {FarmError} as `Saves.chooseSave`
 */
export async function loadSave(
  { game, host, clock }: LoadParts,
  { name, farmName, season, day, year }: ListedSave,
): Promise<ChosenSave> {
  const line = lineFor(name)
  await requireNoPlayers(game)
  const before = await game.status()
  if (before.isOnline && !before.dayTransitionComplete) throw new FarmError({ kind: 'save_in_progress' })
  const typedAt = clock.now()
  const output = await host.typeLine(line)
  const printed = output.find((one) => refusal.test(one))
  if (printed !== undefined)
    throw new FarmError({
      kind: 'save_refused',
      sentence: `The game has not loaded the save. Its console says: ${printed.slice(0, 500)}`,
    })
  const shown = `${farmName}, ${season} ${day}, year ${year}`
  // Without a world the game only notes the save for its next start.
  if (!before.isOnline) return { message: `The game loads ${shown} at its next start`, output: [...output] }
  while (clock.now() - typedAt < saveBudgets.choose - 10_000) {
    await new Promise<void>((resolve) => void clock.after(pause, resolve))
    const status = await game.status()
    const isFresh = status.isOnline && Date.parse(status.lastUpdated) >= typedAt
    if (isFresh && status.farmName === farmName && isSameDay({ season, day, year }, status))
      return { message: `The game plays ${shown}`, output: [...output] }
  }
  throw new FarmError({ kind: 'timeout', write: true })
}
