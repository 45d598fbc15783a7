/** The dispatcher of a test's farm for its edge. */
import { Registry } from 'prom-client'
import type { FarmDispatch } from '../../bridges/linked/forwarded-call.ts'
import type { GameBridge } from '../../handlers/game-bridge.ts'
import { type FarmDispatchParts, farmDispatch } from '../../runtime/dispatch/farm-dispatch.ts'
import { portsOf } from '../farm-ports.ts'
import { silent } from '../logs.ts'
import { memoryRecords, noNamedKeys } from '../records/memory-records.ts'

type Given = Partial<Omit<FarmDispatchParts, 'farm'> & FarmDispatchParts['farm']>

export const dispatchOf = (
  game: GameBridge,
  { records = memoryRecords('edge'), keys = noNamedKeys, ...given }: Given = {},
): FarmDispatch =>
  farmDispatch({
    farm: portsOf(game, { records, ...given }),
    keys,
    metrics: { registry: new Registry(), audit: { ended() {}, late() {} } },
    log: silent,
    now: Date.now,
    monotonic: () => performance.now(),
    ...given,
  })
