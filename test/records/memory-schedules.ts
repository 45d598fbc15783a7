/** Schedules whose records are in memory; their calls are dispatched as in the farm's own process. */

import { randomBytes } from 'node:crypto'
import { Registry } from 'prom-client'
import type { FarmPorts } from '../../handlers/endpoint.ts'
import { scheduledEndpoints } from '../../handlers/endpoints/scheduled-endpoints.ts'
import type { KeyRing } from '../../lib/key-ring.ts'
import { ownDispatch } from '../../runtime/dispatch/own-dispatch.ts'
import { noMods } from '../../services/mods/no-mods.ts'
import type { OwnRecords } from '../../services/records/own-records.ts'
import {
  type OpenSchedules,
  openSchedules,
  type SchedulesParts,
} from '../../services/schedules/open-schedules.ts'
import { silent } from '../logs.ts'
import { memoryDownloads } from './memory-downloads.ts'
import { noAccounts } from './no-accounts.ts'
import { noSaves } from './no-saves.ts'
import { noSupport } from './no-support.ts'

interface Farm extends Pick<FarmPorts, 'game' | 'backups' | 'host'> {
  readonly records: OwnRecords
  readonly keys: KeyRing
}

export function schedulesOf(
  { records, keys, ...farm }: Farm,
  more: Partial<SchedulesParts> = {},
): OpenSchedules {
  const schedules: OpenSchedules = openSchedules({
    calls: records.calls,
    game: farm.game,
    keys,
    dispatch: ownDispatch(() => ({
      endpoints: Object.values(scheduledEndpoints),
      farm: {
        ...farm,
        records: records.of('schedule'),
        schedules: schedules.port,
        saves: noSaves,
        accounts: noAccounts,
        mods: noMods,
        downloads: memoryDownloads(),
        support: noSupport,
        ticketService: { signIn: async () => undefined },
      },
      keys,
      metrics: { registry: new Registry(), audit: { ended() {}, late() {} } },
      log: silent,
      now: Date.now,
      monotonic: () => performance.now(),
    })),
    log: silent,
    now: Date.now,
    randomBytes,
    ...more,
  })
  return schedules
}
