/** What needs a farm without players warns them first: they leave, and come back after it. */
import type { SimulatedFarm } from '../../bridges/simulated/simulated-farm.ts'
import type { FarmPorts } from '../../handlers/endpoint.ts'
import { type Clock, sleep } from '../../lib/clock.ts'

/** Milliseconds between two looks, and after which a call continues with players on the farm. */
const [pause, longest] = [100, 15_000]

/** Asks the players to leave, and waits until they have. Whether the call is possible then is not judged here. */
async function empty(farm: SimulatedFarm, clock: Clock): Promise<void> {
  const isEmpty = async () => (await farm.players()).players.length === 0
  try {
    if (await isEmpty()) return
    await farm.announce('The server loads a save in a moment: please leave, and come back after it')
    for (let waited = 0; waited < longest && !(await isEmpty()); waited += pause) await sleep(clock, pause)
  } catch {
    // The game does not run.
  }
}

/** @param ports of a farm as a real one has them */
export const withLeaving = (ports: FarmPorts, farm: () => SimulatedFarm, clock: Clock): FarmPorts => ({
  ...ports,
  backups: {
    ...ports.backups,
    async restoreBackup(id, isDryRun) {
      const { restoreBackup } = ports.backups
      // Refuses what cannot be restored before anyone is warned.
      const found = await restoreBackup(id, true)
      if (isDryRun || found === undefined) return found
      await empty(farm(), clock)
      return restoreBackup(id, false)
    },
  },
  saves: {
    ...ports.saves,
    async chooseSave(name, ...given) {
      const found = (await ports.saves.saves()).find((one) => one.name === name)
      if (found?.active === false) await empty(farm(), clock)
      return ports.saves.chooseSave(name, ...given)
    },
  },
})
