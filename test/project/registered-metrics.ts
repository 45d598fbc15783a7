/** The metrics of every process, as the code registers them and as a process shows them. */
import { Registry } from 'prom-client'
import * as v from 'valibot'
import { simulatedFarm } from '../../bridges/simulated/simulated-farm.ts'
import { systemClock, systemClock as ticketClock } from '../../lib/clock.ts'
import { createMetrics, measureClients, measureState } from '../../runtime/http/metrics.ts'
import { gameAnswers, measureLink, measureProcess } from '../../runtime/node/farm-metrics.ts'
import { measureBackups } from '../../services/backups/metrics.ts'
import { gameTrouble, hostRestarts, measureWatchdog } from '../../services/host/metrics.ts'
import { measureResources } from '../../services/host/resources.ts'
import { measureRecords } from '../../services/records/metrics.ts'
import { measureRightFarm } from '../../services/saves/watch-right-farm.ts'
import { watchTicketService } from '../../services/ticket-service/watch.ts'
import { measureWebhooks, webhookTries } from '../../services/webhooks/metrics.ts'
import { appTicketCache } from '../../ticket/app-ticket-cache.ts'
import { httpMetrics } from '../../ticket/http/http-metrics.ts'
import { recorder } from '../logs.ts'
import { noBackups } from '../records/no-backups.ts'
import { noResources } from '../services/host/no-resources.ts'
import { fakePlatform } from '../ticket/fake-platform.ts'

/** prom-client's types lack the labels of a registered metric. */
const registered = v.object({
  name: v.string(),
  type: v.string(),
  labelNames: v.array(v.string()),
  help: v.string(),
})
type Registered = v.InferOutput<typeof registered>

const registeredIn = (registry: Registry): readonly Registered[] =>
  registry
    .getMetricsAsArray()
    .map((metric) => v.parse(registered, metric))
    .sort((one, other) => (one.name < other.name ? -1 : 1))

type Place = 'farm and edge' | 'farm' | 'edge' | 'ticket service'

/** The metrics that the code registers with every variable set. */
export function registeredMetrics(): Readonly<Record<Place, readonly Registered[]>> {
  const game = simulatedFarm({ seed: 'metrics', speed: 1, clock: systemClock, version: '1.0.0' })
  const shared = createMetrics(game, Date.now).registry
  measureClients(shared, () => 0)
  void game.close()
  const farm = new Registry()
  farm.registerMetric(gameAnswers())
  measureRecords(farm, { state: 'ok', failures: 0, measured: async () => undefined }, { named: [] })
  measureWebhooks(farm, async () => 0)
  farm.registerMetric(webhookTries())
  farm.registerMetric(hostRestarts())
  measureWatchdog(farm, gameTrouble(), () => undefined)
  measureBackups(farm, {
    port: noBackups,
    counts: { made: 0, failed: 0, removedByRule: 0 },
    copies: undefined,
    isFailing: () => false,
    damaged: async () => 0,
  })
  measureResources(farm, { read: async () => noResources })
  measureRightFarm(farm, { isWrong: () => false })
  measureLink(farm, { isOpen: true, openings: 1 })
  measureProcess(farm)
  watchTicketService({ url: 'http://ticket', registry: farm, log: recorder([]), monotonic: () => 0 })
  const edge = new Registry()
  measureState(edge, { stateBytes: 0 })
  const platform = fakePlatform()
  const ticket = httpMetrics(platform, appTicketCache(platform, ticketClock)).registry
  return {
    'farm and edge': registeredIn(shared),
    farm: registeredIn(farm),
    edge: registeredIn(edge),
    'ticket service': registeredIn(ticket),
  }
}

/** Name, type and meaning of every metric in a text of the Prometheus format. */
export const shownIn = (text: string): readonly Omit<Registered, 'labelNames'>[] =>
  [...text.matchAll(/^# HELP (\S+) (.*)\n# TYPE \1 (\w+)$/gm)]
    .map(([, name = '', help = '', type = '']) => ({ name, help, type }))
    .sort((one, other) => (one.name < other.name ? -1 : 1))
