/** The host of a test's farm: the real operations on a driver in memory, with the real tables of the records. */
import { randomUUID } from 'node:crypto'
import type { Backups } from '../../../handlers/backups.ts'
import type { GameHost } from '../../../handlers/game-host.ts'
import { systemClock } from '../../../lib/clock.ts'
import { textCleaner } from '../../../services/host/clean-text.ts'
import { type HostParts, type OpenHost, openHost } from '../../../services/host/open-host.ts'
import type { Preparation } from '../../../services/host/preparation.ts'
import type { OwnRecords } from '../../../services/records/own-records.ts'
import { silent } from '../../logs.ts'
import { noResources } from './no-resources.ts'
import { plainDriver } from './plain-driver.ts'

interface FarmHostParts extends Partial<Omit<HostParts, 'game' | 'backups' | 'calls' | 'driver'>> {
  readonly game: HostParts['game']
  readonly backups: Pick<Backups, 'makeBackup'>
  readonly records: Pick<OwnRecords, 'calls'>
  readonly driver?: GameHost
}

/** A start that needs nothing. */
export const asItIs: Preparation = {
  beforeStart: async () => 'nothing',
  prepare: async () => undefined,
  undo: async () => undefined,
  isRightFarm: async () => undefined,
  succeeded: async () => undefined,
}

/** An open host that is called every 50 ms, as `run` calls it every second. */
export function farmHost({ game, backups, records, ...given }: FarmHostParts): OpenHost {
  const host = openHost({
    resources: async () => noResources,
    driver: plainDriver(),
    hasBackups: false,
    watchdog: () => ({ mode: 'notify', restartsThisHour: 0 }),
    shouldRun: async () => undefined,
    preparation: () => asItIs,
    clean: textCleaner([]),
    notify: () => undefined,
    restarted: () => undefined,
    newId: randomUUID,
    clock: systemClock,
    log: silent,
    ...given,
    game,
    backups,
    calls: records.calls,
  })
  const ticking = setInterval(() => void host.tick(), 50)
  return {
    ...host,
    get operation() {
      return host.operation
    },
    close() {
      clearInterval(ticking)
      host.close()
    },
  }
}
