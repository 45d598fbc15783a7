import { startCdn } from '../../test/platform/cdn.ts'
import type { StandInDepot } from '../../test/platform/depots.ts'
import { cpuMilliseconds } from '../measure.ts'
import { gameDepot, hugeDepot, sdkDepot } from './shapes.ts'

/** A request of the benchmark to the content server's process. */
export type CdnOrder =
  | {
      readonly make: 'game'
      readonly format: 'lzma' | 'zstd' | 'zip'
      readonly megabytes: number
      readonly depotId: number
    }
  | { readonly make: 'huge'; readonly megabytes: number; readonly depotId: number }
  | { readonly make: 'count' }

/** The answer to an order. */
export interface CdnAnswer {
  readonly host: string
  readonly key: string
  readonly sdkKey: string
  /** Chunk requests so far. */
  readonly count: number
  /** Milliseconds of processor time so far. */
  readonly cpu: number
}

const sdk = sdkDepot()
const cdn = await startCdn([sdk])
process.on('message', (order: CdnOrder) => {
  const depot = made(order)
  if (depot !== undefined) cdn.serve(depot)
  const answer: CdnAnswer = {
    host: cdn.host,
    key: depot?.key.toString('hex') ?? '',
    sdkKey: sdk.key.toString('hex'),
    count: cdn.chunkRequests(),
    cpu: cpuMilliseconds(),
  }
  process.send?.(answer)
})
process.on('disconnect', () => process.exit())

function made(order: CdnOrder): StandInDepot | undefined {
  if (order.make === 'game') return gameDepot(order.format, order.megabytes, order.depotId)
  if (order.make === 'huge') return hugeDepot(order.megabytes, order.depotId)
  return undefined
}
