/** What acts on the game's process: its host, the watchdog, schedules, and the choice of a save. */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { newWorldSettings } from '../../bridges/settings-file/new-worlds.ts'
import type { Endpoint, FarmPorts } from '../../handlers/endpoint.ts'
import { scheduledEndpoints } from '../../handlers/endpoints/scheduled-endpoints.ts'
import { childEnvironment } from '../../lib/child-environment.ts'
import { systemClock } from '../../lib/clock.ts'
import type { KeyRing } from '../../lib/key-ring.ts'
import type { Log } from '../../lib/log.ts'
import type { OneAtATime } from '../../lib/one-at-a-time.ts'
import { textCleaner } from '../../services/host/clean-text.ts'
import { hostOf } from '../../services/host/driver.ts'
import { gameTrouble, hostRestarts, measureWatchdog } from '../../services/host/metrics.ts'
import { noHost } from '../../services/host/no-host.ts'
import { openHost } from '../../services/host/open-host.ts'
import { measureResources, watchResources } from '../../services/host/resources.ts'
import { type Watchdog, watchdogEndpoints, watchGame } from '../../services/host/watch-game.ts'
import type { OpenRecords } from '../../services/records/open-records.ts'
import { openSaves } from '../../services/saves/open-saves.ts'
import { pointerRepairs, watchStarts } from '../../services/saves/prepare-start.ts'
import type { RightFarm } from '../../services/saves/watch-right-farm.ts'
import { openSchedules } from '../../services/schedules/open-schedules.ts'
import type { Notify } from '../../services/webhooks/make-deliveries.ts'
import { ownDispatch } from '../dispatch/own-dispatch.ts'
import type { Metrics } from '../http/metrics.ts'
import { backupFolder, type Config } from './config.ts'
import { secretsOf } from './secrets.ts'

export interface OwnActionsParts
  extends Pick<
    FarmPorts,
    'game' | 'backups' | 'accounts' | 'mods' | 'downloads' | 'support' | 'ticketService'
  > {
  readonly config: Config
  /** The queue of all who replace the settings file. */
  readonly settingsChanges: OneAtATime
  readonly records: OpenRecords
  /** Backs up a save that the game does not play. */
  readonly backUpSave: (dir: string, name: string) => Promise<unknown>
  readonly rightFarm: RightFarm
  readonly keys: KeyRing
  readonly notify: Notify
  readonly log: Log
  /** Of the server, which starts later; called from the first `tick` on. */
  readonly metrics: () => Metrics
}

export type OwnActions = ReturnType<typeof openOwnActions>

export function openOwnActions(parts: OwnActionsParts) {
  const {
    config,
    records,
    accounts,
    mods,
    downloads,
    support,
    ticketService,
    keys,
    game,
    backups,
    notify,
    log,
    metrics,
  } = parts
  const driver =
    config.demo?.host ?? hostOf(config, { clock: systemClock, log, env: childEnvironment(process.env) })
  const resources = watchResources({
    driver,
    folders: [
      config.DATA_DIR,
      backupFolder(config),
      ...[config.SAVES_DIR, config.MODS_DIR].filter((folder) => folder !== undefined),
    ],
    monotonic: systemClock.monotonic,
  })
  const hasBackups = config.SAVES_DIR !== undefined
  const restarts = hostRestarts()
  const trouble = gameTrouble()
  /** @param endpoints that it may call @param own ports in place of the farm's own */
  const dispatchAs = (
    origin: Parameters<OpenRecords['of']>[0],
    endpoints: readonly Endpoint[],
    own: Partial<FarmPorts> = {},
  ) =>
    ownDispatch(() => ({
      keys,
      metrics: metrics(),
      log,
      now: systemClock.now,
      monotonic: systemClock.monotonic,
      endpoints,
      farm: {
        game,
        backups,
        host,
        schedules: schedules.port,
        saves,
        accounts,
        mods,
        downloads,
        support,
        ticketService,
        records: records.of(origin),
        ...own,
      },
    }))
  const ownRecords = records.of('local')
  const settings =
    config.SETTINGS_PATH === undefined
      ? undefined
      : newWorldSettings(config.SETTINGS_PATH, parts.settingsChanges)
  const starts = watchStarts({
    savesDir: config.SAVES_DIR,
    game,
    settings,
    rightFarm: parts.rightFarm,
    repair: pointerRepairs(ownRecords, log),
    log,
  })
  void starts.judge()
  const opened =
    driver &&
    openHost({
      driver,
      game,
      backups,
      hasBackups,
      calls: records.calls,
      watchdog: () => watchdog?.shown() ?? { mode: 'off', restartsThisHour: 0 },
      shouldRun: async () => watchdog?.shouldRun(),
      preparation: (by, { force }, plan) =>
        plan === undefined ? starts.kept(by, force && by.id !== 'watchdog') : starts.changing(plan),
      resources: resources.read,
      clean: textCleaner(secretsOf(config)),
      notify,
      restarted: (by) => restarts.inc({ by }),
      newId: () => randomBytes(6).toString('hex'),
      clock: systemClock,
      log,
    })
  const host = opened?.port ?? noHost
  const saves = openSaves({
    savesDir: config.SAVES_DIR,
    folder: join(config.DATA_DIR, 'uploads'),
    game,
    host,
    settings,
    mods,
    backUp: parts.backUpSave,
    rightFarm: parts.rightFarm,
    clock: systemClock,
  })
  const watchdog: Watchdog | undefined =
    opened === undefined || config.GAME_WATCHDOG === 'off'
      ? undefined
      : watchGame({
          mode: config.GAME_WATCHDOG,
          seconds: config.GAME_WATCHDOG_SECONDS,
          host: opened,
          game,
          hasBackups,
          async heldBack() {
            const start = await starts.judge()
            if (typeof start !== 'object') return false
            log.error({ cause: start.refused }, 'the watchdog does not start the game')
            await parts.rightFarm.reportPointer(start.next).catch(() => undefined)
            return true
          },
          dispatch: dispatchAs('watchdog', watchdogEndpoints),
          notify,
          found: (one) => trouble[one].inc(),
          records,
          clock: systemClock,
          log,
        })
  const schedules = openSchedules({
    calls: records.calls,
    game,
    keys,
    dispatch: dispatchAs('schedule', Object.values(scheduledEndpoints), {
      host: {
        ...host,
        beginOperation: (action, request, by, plan) =>
          host.beginOperation(action, request, { ...by, isSchedule: true }, plan),
      },
    }),
    log,
    now: systemClock.now,
    randomBytes,
  })
  return {
    host,
    /** @returns undefined without `GAME_HOST` @throws {FarmError} the records do not answer */
    process: async () => opened?.process(),
    /** What the machine and the game use. */
    resources: resources.read,
    /** Whether the host's log can be followed. */
    hasLog: driver?.can.log === true,
    schedules: schedules.port,
    saves,
    /** Call it every second, once there are metrics. */
    tick() {
      void opened?.tick()
      void watchdog?.tick()
      void schedules.tick()
    },
    measure({ registry }: Pick<Metrics, 'registry'>) {
      registry.registerMetric(restarts)
      measureResources(registry, resources)
      if (watchdog !== undefined) measureWatchdog(registry, trouble, () => watchdog.shown().gaveUpAt)
    },
    async close() {
      opened?.close()
      await schedules.close()
    },
  }
}
