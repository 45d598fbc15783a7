import { Counter, type Registry } from '../../lib/prom-client.ts'
import { gauge } from '../../lib/series.ts'

/** Restarts of the game by farmgate, to be registered when there is a registry. */
export const hostRestarts = () =>
  new Counter({
    name: 'farmgate_game_restarts_total',
    help: 'With GAME_HOST: restarts of the game that have succeeded, by who asked for them: `key`, `schedule` or `watchdog`',
    labelNames: ['by'],
    registers: [],
  })

/** Trouble that the watchdog has found, to be registered when there is a registry. */
export function gameTrouble() {
  const crash = new Counter({
    name: 'farmgate_game_crashes_total',
    help: 'With GAME_HOST: how often the process of the game has ended without an operation',
    registers: [],
  })
  const hang = new Counter({
    name: 'farmgate_game_hangs_total',
    help: 'With GAME_HOST: how often the game ran and did not answer, or a night lasted 15 minutes',
    registers: [],
  })
  return { crash, hang }
}

export function measureWatchdog(
  registry: Registry,
  { crash, hang }: ReturnType<typeof gameTrouble>,
  gaveUpAt: () => string | undefined,
): void {
  registry.registerMetric(crash)
  registry.registerMetric(hang)
  gauge(registry, 'farmgate_watchdog_gave_up', 'With GAME_HOST: 1 while the watchdog has given up', () =>
    gaveUpAt() === undefined ? 0 : 1,
  )
}
