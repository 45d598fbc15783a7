/** Simulated farms in one process, each with named keys and a link to several addresses of an edge. */
import type { SimulatedFarm } from '../../bridges/simulated/simulated-farm.ts'
import { steeredFarm } from '../../test/bridges/simulated/steered-farm.ts'
import { linkFarm } from '../../test/edge/edge-server.ts'
import { memoryFarm } from '../../test/records/memory-records.ts'
import { serveSubject } from '../measure.ts'

const speaker = 7n
const farms: SimulatedFarm[] = []

serveSubject({
  /** @param urls of the farm at each instance, in the order in which it tries them */
  async link(urls: readonly string[], linkKey: string) {
    const farm = steeredFarm()
    farm.controls.join({ id: speaker, name: 'Abby' })
    const { records, keys } = await memoryFarm()
    linkFarm(farm, urls, linkKey, {
      records: records.of('edge'),
      keys,
      // As `npm run serve`.
      backOff: { first: 500, max: 30_000 },
    })
    farms.push(farm)
  },
  /** A player of every farm writes a line. */
  say: (text: string) => farms.every(({ controls }) => controls.say(speaker, text)),
  /** The lines of clients that have arrived at any farm. */
  relayed: () => farms.flatMap(({ controls }) => controls.chatRelayed.map(({ message }) => message)),
})
