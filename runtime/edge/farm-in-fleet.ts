import type { LinkedGame } from '../../bridges/linked/edge-end/linked-game.ts'
import type { Log } from '../../lib/log.ts'
import { type FleetChanges, fleetChanges } from '../../services/fleet/changes.ts'
import { type FleetReporter, fleetReporter } from '../../services/fleet/report.ts'
import type { EdgeEnv } from './env.ts'
import { fleetObject } from './fleet.ts'

/** The calls between the object of a farm and the fleet. */
export interface FarmInFleet {
  /** Undefined for the default farm, which does not report. */
  readonly reporter: FleetReporter | undefined
  readonly changes: FleetChanges
}

interface FarmInFleetParts {
  readonly game: LinkedGame
  readonly storage: SyncKvStorage
  readonly env: EdgeEnv
  readonly log: Log
  /** Called when a report was sent, or could not be sent. */
  reported(): void
}

/** @param farm its name in the fleet; undefined for the default farm */
export function farmInFleet(
  farm: string | undefined,
  { game, storage, env, log, reported }: FarmInFleetParts,
): FarmInFleet {
  const changes = fleetChanges({ storage, records: game.records })
  if (farm === undefined) return { reporter: undefined, changes }
  const reporter = fleetReporter({
    game,
    storage,
    send: (report, at) => fleetObject(env).report(farm, report, at),
    ended(cause) {
      if (cause !== undefined)
        log.warn({ cause: String(cause) }, 'the state of the farm was not reported to the fleet')
      reported()
    },
    now: () => Date.now(),
    random: Math.random,
  })
  return { reporter, changes }
}
