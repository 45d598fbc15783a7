/** What the machine and the game use of processors, memory and disks. Bytes; memory is without the page cache. */
import * as v from 'valibot'
import { described } from './described.ts'
import type { Measure } from './history-records.ts'

const bytes = v.pipe(v.number(), v.minValue(0))
const cpuPercent = v.exactOptional(
  described('Of all processors, 0 to 100; missing until it is known.', v.pipe(v.number(), v.minValue(0))),
)

export const resources = v.object({
  machine: v.object({
    cpuPercent,
    memory: v.object({ used: bytes, total: bytes }),
    disks: described(
      'Of each folder that farmgate or the game writes.',
      v.array(v.object({ path: v.string(), used: bytes, total: bytes })),
    ),
  }),
  game: v.exactOptional(
    described(
      'Missing while its host does not report it.',
      v.object({ cpuPercent, memory: v.object({ used: bytes, limit: v.exactOptional(bytes) }) }),
    ),
  ),
})
export type Resources = v.InferOutput<typeof resources>

const mb = ({ used }: { readonly used: number }) => used / 1024 ** 2

/** The values of one sample of the history; the disk is the fullest one. */
export function sampleOf({ machine, game }: Resources): Partial<Readonly<Record<Measure, number>>> {
  const shares = machine.disks.map(({ used, total }) => (100 * used) / total)
  return {
    ...(machine.cpuPercent !== undefined && { machineCpuPercent: machine.cpuPercent }),
    machineMemoryMb: mb(machine.memory),
    ...(game?.cpuPercent !== undefined && { gameCpuPercent: game.cpuPercent }),
    ...(game !== undefined && { gameMemoryMb: mb(game.memory) }),
    ...(shares.length > 0 && { diskPercent: Math.max(...shares) }),
  }
}
