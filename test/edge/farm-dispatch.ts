/** The dispatcher of a test's farm for its edge. */
import { Registry } from 'prom-client'
import type { FarmDispatch } from '../../bridges/linked/forwarded-call.ts'
import type { GameBridge } from '../../handlers/game-bridge.ts'
import { type FarmDispatchParts, farmDispatch } from '../../runtime/dispatch/farm-dispatch.ts'
import { noHost } from '../../services/host/no-host.ts'
import { silent } from '../logs.ts'
import { memoryRecords, noNamedKeys } from '../records/memory-records.ts'
import { noBackups } from '../records/no-backups.ts'
import { noSchedules } from '../records/no-schedules.ts'

type Given = Partial<Omit<FarmDispatchParts, 'farm'> & FarmDispatchParts['farm']>

export const dispatchOf = (
  game: GameBridge,
  {
    records = memoryRecords('edge'),
    backups = noBackups,
    host = noHost,
    schedules = noSchedules,
    keys = noNamedKeys,
    ...given
  }: Given = {},
): FarmDispatch =>
  farmDispatch({
    farm: { game, records, backups, host, schedules },
    keys,
    metrics: { registry: new Registry(), audit: { ended() {}, late() {} } },
    log: silent,
    now: Date.now,
    monotonic: () => performance.now(),
    ...given,
  })
