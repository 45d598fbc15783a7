/** A simulated farm on the clock of the machine that changes only by the controls of a test. */
import { type SimulatedFarm, simulatedFarm } from '../../../bridges/simulated/simulated-farm.ts'
import { systemClock } from '../../../lib/clock.ts'

/** @param options in place of the usual ones */
export const steeredFarm = (options: Partial<Parameters<typeof simulatedFarm>[0]> = {}): SimulatedFarm =>
  simulatedFarm({
    seed: 'contract',
    speed: 1,
    clock: systemClock,
    version: '1.0.0',
    story: 'steered',
    ...options,
  })
