/** Operations on the game's process, with kills and hostile games: repeats `test/services/host/random-operations.ts`. */
import type { Row } from '../../../bench/measure.ts'
import { simulateOperations } from '../../services/host/random-operations.ts'
import { none, type Phase } from '../phase.ts'

/** Operations of each of twenty farms, however long they take: 1,000 together. */
const operations = 50

async function run(): Promise<readonly Row[]> {
  const first = Date.now() % 1_000_000
  const outcomes: Awaited<ReturnType<typeof simulateOperations>>[] = []
  for (let farm = 0; farm < 20; farm += 1) outcomes.push(await simulateOperations(first + farm, operations))
  const sum = (what: 'operations' | 'kills' | 'nights' | 'stops') =>
    String(outcomes.reduce((total, one) => total + one[what], 0))
  const faults = outcomes.flatMap((one, farm) => one.faults.map((fault) => `seed ${first + farm}: ${fault}`))
  return [
    { what: `operations (seeds ${first} to ${first + 19})`, measured: sum('operations') },
    { what: 'kills of farmgate', measured: sum('kills') },
    { what: 'nights', measured: sum('nights') },
    { what: 'stops of the game', measured: sum('stops') },
    none(
      'operations that ended with what is not true, or stopped a game that saves',
      Object.fromEntries(faults.map((fault) => [fault, 1])),
    ),
  ]
}

export const hostPhase: Phase = {
  name: 'operations',
  title: 'Operations on the game, with kills and hostile games',
  share: 1,
  run,
}
