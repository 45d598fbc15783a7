/** Makes the game load a save, through its console. */
import { FarmError } from '../../handlers/farm-error.ts'
import type { GameBridge } from '../../handlers/game-bridge.ts'
import type { GameHostRecord } from '../../handlers/game-host-record.ts'
import type { Host } from '../../handlers/host.ts'
import { requireNoNight } from '../../handlers/no-night.ts'
import { requireNoPlayers } from '../../handlers/no-players.ts'
import type { ChosenSave } from '../../handlers/save-record.ts'
import type { Clock } from '../../lib/clock.ts'
import type { ListedSave } from './list-saves.ts'
import { isSameDay } from './saves-folder.ts'

export interface LoadParts {
  readonly game: Pick<GameBridge, 'status' | 'health' | 'players' | 'farmhands'>
  readonly host: Pick<Host, 'host' | 'typeLine' | 'beginOperation'>
  readonly clock: Pick<Clock, 'now' | 'after'>
}

/** Milliseconds between two looks at what the game plays. */
const pause = 500
/** What JunimoServer prints where it does not load the save. */
const refusal = /unknown|usage:|did not complete|refusing to reload|reload failed|not found/i

/** Milliseconds after which a save that the game has not loaded is given up. */
const longestLoad = 60_000

/** A word of a line of the console. @throws {FarmError} invalid_argument where it could be more than one there */
function wordOf(name: string): string {
  if (/["\\\p{Cc}]/u.test(name) || name.startsWith('-'))
    throw new FarmError({
      kind: 'invalid_argument',
      sentence:
        'A save whose name has quotes, backslashes or control characters cannot be named at the console',
      parameter: 'name',
    })
  return /\s/u.test(name) ? `"${name}"` : name
}

/**
 * The line that makes JunimoServer load a save.
 * @param swapTo the account that keeps the farmer of the host; without it the save is loaded as it is
 * @throws {FarmError} invalid_argument for a name that could be more than one argument there
 */
export const lineFor = (name: string, swapTo?: string): string =>
  `saves import ${wordOf(name)}${swapTo === undefined ? '' : ` --swap-host-to ${swapTo}`} --reload`

/** @returns undefined where farmgate can neither start and stop the game nor type at its console */
export const abilitiesOf = (host: LoadParts['host']): Promise<GameHostRecord['can'] | undefined> =>
  host.host().then(
    ({ can }) => can,
    (error: unknown) => {
      if (error instanceof FarmError && error.failure.kind === 'unsupported') return undefined
      throw error
    },
  )

/**
 * Types the line at the game's console.
 * @returns how to wait until the game reports the farm and the day of the save
 * @throws {FarmError} as `Saves.chooseSave`
 */
export async function beginLoad(
  { game, host, clock }: LoadParts,
  { name, farmName, season, day, year, host: owner }: ListedSave,
  swapTo: string | undefined,
): Promise<() => Promise<ChosenSave>> {
  const line = lineFor(name, swapTo)
  await requireNoPlayers(game)
  await requireNoNight(game)
  const before = await game.status()
  const typedAt = clock.now()
  const output = [...(await host.typeLine(line))]
  const printed = output.find((one) => refusal.test(one))
  if (printed !== undefined)
    throw refused(`The game has not loaded the save. Its console says: ${printed.slice(0, 500)}`)
  const shown = `${farmName}, ${season} ${day}, year ${year}`
  // Without a world the game only notes the save for its next start.
  if (!before.isOnline) return async () => ({ message: `The game loads ${shown} at its next start`, output })
  const until = async (isSo: () => Promise<boolean>): Promise<boolean> => {
    while (clock.now() - typedAt < longestLoad) {
      await new Promise<void>((resolve) => void clock.after(pause, resolve))
      if (await isSo()) return true
    }
    return false
  }
  const isLoaded = async () => {
    const status = await game.status()
    const isFresh = status.isOnline && Date.parse(status.lastUpdated) >= typedAt
    return isFresh && status.farmName === farmName && isSameDay({ season, day, year }, status)
  }
  const isBound = async () =>
    (await game.farmhands()).farmhands.some((one) => one.name === owner.name && one.account?.id === swapTo)
  return async () => {
    if (!(await until(isLoaded))) throw new FarmError({ kind: 'timeout', write: true })
    if (swapTo !== undefined && !(await until(isBound)))
      throw refused(
        `The game plays ${shown}, but ${owner.name} is not a farmhand of the account ${swapTo}. Type at its console: farmhand rebind ${wordOf(owner.name)} ${swapTo}`,
      )
    return { message: `The game plays ${shown}`, output }
  }
}

const refused = (sentence: string) => new FarmError({ kind: 'save_refused', sentence })
