/** Nights with crashes of the game: repeats `test/backups/nights.ts`. */
import type { Row } from '../../../bench/measure.ts'
import { type NightsOutcome, simulateNights } from '../../backups/nights.ts'
import { none, type Phase } from '../phase.ts'

/** Nights of each of ten farms, for any time that they take: 2,000 together. */
const nights = 200

async function run(): Promise<readonly Row[]> {
  const run = Date.now().toString(36)
  const outcomes: NightsOutcome[] = []
  for (let farm = 0; farm < 10; farm += 1) outcomes.push(await simulateNights(`${run} ${farm}`, nights))
  const sum = (count: (one: NightsOutcome) => number) =>
    String(outcomes.reduce((total, one) => total + count(one), 0))
  const faults = outcomes.flatMap((one, farm) => one.faults.map((fault) => `${run} ${farm}: ${fault}`))
  return [
    { what: `nights (seeds ${run} 0 to 9)`, measured: String(nights * outcomes.length) },
    { what: 'crashes of the game', measured: sum((one) => one.crashes) },
    { what: 'of these with a file that a power cut has torn', measured: sum((one) => one.powerCuts) },
    { what: 'restarts of farmgate', measured: sum((one) => one.restarts) },
    { what: 'complete saves that no one had played', measured: sum((one) => one.unplayed) },
    { what: 'backups, each restored to a farm that the game loads', measured: sum((one) => one.backups) },
    none(
      'backups that are missing, too many, not verified, or of another day',
      Object.fromEntries(faults.map((fault) => [fault, 1])),
    ),
  ]
}

export const nightsPhase: Phase = { name: 'nights', title: 'Nights in which the game crashes', share: 1, run }
