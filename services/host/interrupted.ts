/** How an operation ended during which farmgate itself ended, according to the present facts. None is continued. */
import { type GameProcess, isGone } from '../../handlers/game-host.ts'
import type { Clock } from '../../lib/clock.ts'
import type { StoredOperation } from '../records/host-table.ts'
import { becomesTrue } from './becomes-true.ts'
import type { KnownFacts } from './facts.ts'
import { canCancel } from './operation.ts'

/** Milliseconds in which a host must answer, and then a game to count as newly started. */
const answerWait = 30_000
/** Milliseconds between two looks. */
const lookEvery = 1000

export interface InterruptedParts {
  readonly known: Pick<KnownFacts, 'inspect' | 'read'>
  readonly clock: Clock
  /** farmgate ends again. */
  readonly isClosed: () => boolean
}

/** The process of the game, as soon as its host answers. @returns undefined where it does not answer in time */
export async function foundProcess({
  known,
  clock,
  isClosed,
}: InterruptedParts): Promise<GameProcess | undefined> {
  let found: GameProcess | undefined
  const isFound = async () => {
    found = await known.inspect().catch(() => undefined)
    return found !== undefined || isClosed()
  }
  await becomesTrue(clock, isFound, answerWait, lookEvery)
  return found
}

/** @returns why it failed; undefined when it succeeded */
export async function failureOfInterrupted(
  { operation, run }: StoredOperation,
  { known, clock, isClosed }: InterruptedParts,
): Promise<string | undefined> {
  if (canCancel(operation)) return 'farmgate ended before it stopped the game'
  const found = await foundProcess({ known, clock, isClosed })
  if (found === undefined) return 'farmgate ended meanwhile, and the host does not answer'
  const stillRuns = 'farmgate ended while it stopped the game, and the game still runs'
  if (operation.action === 'stop') return isGone(found.state) ? undefined : stillRuns
  if (isGone(found.state)) return 'farmgate ended meanwhile, and the game does not run'
  // A process that it had not stopped yet is a new one only where the host can distinguish them.
  if (operation.state === 'stopping' && (run === undefined || found.run === undefined || run === found.run))
    return stillRuns
  const isHealthy = async () => isClosed() || (await known.read()).isHealthy
  return (await becomesTrue(clock, isHealthy, answerWait, lookEvery))
    ? undefined
    : 'farmgate ended meanwhile, and the game does not answer'
}
