/** Starts a configured control API, and stops it on a signal; used by `npm run serve` and `npm start`. */
import { randomBytes, randomUUID } from 'node:crypto'
import { lookup } from 'node:dns/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { type FarmLink, type FarmLinkOptions, openLink } from '../../bridges/linked/farm-end/dial.ts'
import type { FarmPorts } from '../../handlers/endpoint.ts'
import { sampleOf } from '../../handlers/resources.ts'
import type { TicketService } from '../../handlers/ticket-service.ts'
import { systemClock } from '../../lib/clock.ts'
import type { ConnectionLimits } from '../../lib/connection-limits.ts'
import { digestOf } from '../../lib/keys.ts'
import type { Log } from '../../lib/log.ts'
import { oneAtATime } from '../../lib/one-at-a-time.ts'
import { type FolderLock, lockFolder } from '../../lib/shared-folder/folder-lock.ts'
import { returnStartMemory } from '../../lib/start-memory.ts'
import { withTimeLimit } from '../../lib/time-limit.ts'
import { version } from '../../lib/version.ts'
import { openAccounts } from '../../services/accounts/open-accounts.ts'
import { providersOf } from '../../services/accounts/providers-of.ts'
import { measureBackups } from '../../services/backups/metrics.ts'
import { openBackups } from '../../services/backups/open-backups.ts'
import { openDownloads } from '../../services/downloads/open-downloads.ts'
import { watchUpkeep } from '../../services/fleet/upkeep.ts'
import { keptChat } from '../../services/history/kept-chat.ts'
import { recordHistory } from '../../services/history/recorder.ts'
import { textCleaner } from '../../services/host/clean-text.ts'
import { recordOutages } from '../../services/outages/record-outages.ts'
import { watchCause, withCause } from '../../services/outages/watch-cause.ts'
import { measureRecords } from '../../services/records/metrics.ts'
import { openRecords } from '../../services/records/open-records.ts'
import { ringOf } from '../../services/records/own-key-ring.ts'
import type { KeptDays } from '../../services/records/prune.ts'
import { type Releases, watchReleases, withReleases } from '../../services/releases/watch-releases.ts'
import { endInterruptedImport } from '../../services/saves/begun-import.ts'
import { ownersOf } from '../../services/saves/owners.ts'
import { pointerRepairs } from '../../services/saves/prepare-start.ts'
import { savesName } from '../../services/saves/saves-folder.ts'
import { measureRightFarm, watchRightFarm, withRightFarm } from '../../services/saves/watch-right-farm.ts'
import { withAccounts } from '../../services/saves/with-accounts.ts'
import { recentLog } from '../../services/support/recent-log.ts'
import { passSetup } from '../../services/ticket-service/pass-setup.ts'
import { type TicketServiceWatch, watchTicketService } from '../../services/ticket-service/watch.ts'
import { measureWebhooks, webhookTries } from '../../services/webhooks/metrics.ts'
import { openWebhooks } from '../../services/webhooks/open-webhooks.ts'
import { tokenEnd } from '../../services/webhooks/token-end.ts'
import { discordOf, ratesOf } from '../common-variables.ts'
import { type FarmDispatchParts, farmDispatch } from '../dispatch/farm-dispatch.ts'
import { documentPages } from '../documents/pages.ts'
import { labelFarm } from '../http/metrics.ts'
import { backupFolder, type Config } from './config.ts'
import { copyPlaceOf } from './copy-place.ts'
import { gameAnswers, measureLink, measureProcess } from './farm-metrics.ts'
import { farmName, openGame } from './game.ts'
import { openGameMods } from './game-mods.ts'
import { createLog } from './log.ts'
import { openOwnActions } from './own-actions.ts'
import { pageFiles } from './page-files.ts'
import { secretsOf } from './secrets.ts'
import { type RunningServer, startServer } from './server.ts'
import { closeTogether, stopOnSignals } from './shutdown.ts'
import { openSupport } from './support.ts'

/** Milliseconds that the start waits for the state of backups and the ticket service, where the edge gets it. */
const firstLook = 2000
/** Milliseconds at the end of a shutdown for the last answers. */
const timeForAnswers = 500
/** Milliseconds after that for closing the other parts; the rest of the time is for the records. */
const timeForParts = 200

/** How a farm is one of many in its process. */
export interface Hosting {
  readonly log: Log
  readonly connections: Partial<ConnectionLimits>
}

export interface OpenFarm {
  readonly server: RunningServer
  readonly log: Log
  /** Closes everything in order. @param within milliseconds in which pending requests can finish */
  stop(within: number): Promise<void>
}

/** Starts everything; a signal stops it. @returns when it listens */
export async function run(config: Config): Promise<RunningServer> {
  const { server, stop, log } = await openFarm(config)
  stopOnSignals({
    stop,
    exit: process.exit,
    monotonic: () => performance.now(),
    on: (signal, listener) => process.on(signal, listener),
  })
  // Last, because a reader of this line may send a signal at once.
  logListening(config, server, log)
  returnStartMemory()
  return server
}

export const logListening = ({ bridge }: Config, { url, port }: RunningServer, log: Log) =>
  log.info({ url, port, bridge }, 'listening')

/** Opens all parts of a farm. @returns when it listens. A start that fails leaves nothing open. */
export async function openFarm(config: Config, hosting?: Hosting): Promise<OpenFarm> {
  const opened: (() => unknown)[] = []
  try {
    return await openParts(config, hosting, (close) => opened.unshift(close))
  } catch (error) {
    for (const close of opened)
      await Promise.resolve()
        .then(close)
        .catch(() => undefined)
    throw error
  }
}

/** @param undo notes what closes a part if the start fails */
async function openParts(
  config: Config,
  hosting: Hosting | undefined,
  undo: (close: () => unknown) => void,
): Promise<OpenFarm> {
  let name: () => string | undefined = () => undefined
  let watchedToken: (() => Promise<void>) | undefined
  let ticketService: TicketServiceWatch | undefined
  const answers = gameAnswers()
  const { log, lines: ownLog } = recentLog(
    hosting?.log ??
      (await createLog({ level: config.LOG_LEVEL, format: config.LOG_FORMAT, farm: () => name() })),
    textCleaner(secretsOf(config)),
    Date.now,
  )
  await endInterruptedImport(
    { savesDir: config.SAVES_DIR, settingsPath: config.SETTINGS_PATH, dataDir: config.DATA_DIR },
    log,
  )
  const settingsChanges = oneAtATime()
  const bridge = openGame(config, log, (seconds) => answers.observe(seconds), settingsChanges)
  undo(() => bridge.close())
  const rightFarm = watchRightFarm({
    savesDir: config.SAVES_DIR,
    game: bridge,
    records: {
      read: () => records.calls.expectedFarm(),
      write: (kept) => records.calls.keepExpectedFarm(kept),
    },
    repair: (...given) => pointerRepairs(records.of('local'), log)(...given),
    report: (unexpected) => webhooks.notify('game.wrong_farm', unexpected),
    log,
    now: Date.now,
    monotonic: () => performance.now(),
  })
  const releases = releasesOf(config, log)
  const rightGame = withRightFarm(bridge, rightFarm)
  const ofTicketService: TicketService = { signIn: async () => ticketService?.signIn() }
  const causes = watchCause({
    game: bridge,
    process: async () => (await actions.process())?.state,
    ticketService: ofTicketService,
    records: { state: () => farm.records.state() },
    clock: systemClock,
    log,
  })
  const withOwners = withAccounts(releases === undefined ? rightGame : withReleases(rightGame, releases), {
    owners: ownersOf(config.SAVES_DIR, bridge.status, () => performance.now()),
    allowlist: () => records.calls.allowlist(),
  })
  const game = withCause(withOwners, causes)
  name = farmName(game)
  const locks: (FolderLock | undefined)[] = []
  const unlock = () => {
    for (const lock of locks) lock?.release()
  }
  undo(unlock)
  if (config.SAVES_DIR !== undefined)
    locks.push(
      lockFolder(config.SAVES_DIR, hostname(), {
        below: savesName,
        onDoubt: (cause) =>
          log.warn({ cause }, 'the folder Saves is not locked: a second farmgate on it is not refused'),
      }),
    )
  if (config.MODS_DIR !== undefined && config.MODS_ACCESS === 'rw')
    locks.push(
      lockFolder(config.MODS_DIR, hostname(), {
        below: '',
        onDoubt: (cause) =>
          log.warn({ cause }, 'MODS_DIR is not locked: a second farmgate on it is not refused'),
      }),
    )
  const records = openRecords(config.DATA_DIR, daysOf(config), log)
  undo(() => records.close())
  const apiKey = config.API_KEY === undefined ? undefined : digestOf(config.API_KEY)
  const keys = await ringOf(records, apiKey, Date.now)
  const chat = await keptChat(game, records, config.CHAT_KEEP, Date.now)
  const monotonic = () => performance.now()
  const history = recordHistory({
    game,
    resources: async () => sampleOf(await actions.resources()),
    calls: records.calls,
    later: records.later,
    now: Date.now,
    monotonic,
  })
  const outages = recordOutages({
    cause: causes.cause,
    calls: records.calls,
    later: records.later,
    now: Date.now,
    monotonic,
  })
  const keepsChat = config.CHAT_KEEP && config.CHAT_DAYS > 0
  const tries = webhookTries()
  const webhooks = openWebhooks({
    game,
    records,
    keepsChat,
    privateHosts: config.WEBHOOK_PRIVATE_HOSTS,
    farmName: name,
    tried: (outcome) => tries.inc({ outcome }),
    log,
    now: Date.now,
    monotonic,
    random: Math.random,
  })
  const backups = openBackups({
    savesDir: config.SAVES_DIR,
    folder: backupFolder(config),
    ready: config.demo?.past,
    keep: config.BACKUP_KEEP,
    game,
    offsite: copyPlaceOf(config),
    rightFarm,
    clock: systemClock,
    random: Math.random,
    log,
    onFailed: (reason) => webhooks.notify('backup.failed', { reason }),
  })
  const accounts = openAccounts({
    records,
    providers: providersOf(config, {
      servers: async () => (await records.calls.storedDiscordServers()).map(({ id }) => id),
      monotonic,
      log,
    }),
    publicUrl: config.PUBLIC_URL,
    now: Date.now,
    randomBytes,
  })
  const downloads = openDownloads({ now: Date.now, randomBytes })
  const support = openSupport({ config, dispatch: () => dispatchParts(farm), ownLog })
  const mods = openGameMods({ config, game, backups: backups.port, process: () => actions.process(), log })
  const actions = openOwnActions({
    config,
    game,
    settingsChanges,
    backups: backups.port,
    backUpSave: backups.backUpSave,
    rightFarm,
    records,
    accounts: accounts.port,
    mods: mods.port,
    downloads,
    support,
    ticketService: ofTicketService,
    keys,
    notify: webhooks.notify,
    log,
    metrics: () => server.metrics,
  })
  const parts = {
    history: () => history.close(),
    outages: () => outages.close(),
    webhooks: () => webhooks.close(),
    chat: () => chat.close(),
    backups: () => backups.close(),
    actions: () => actions.close(),
    mods: () => mods.close(),
    releases: () => releases?.close(),
  }
  undo(() => closeTogether(parts, timeForParts, () => undefined))
  const ports: FarmPorts = {
    game,
    records: records.of('local'),
    backups: backups.port,
    host: actions.host,
    schedules: actions.schedules,
    saves: actions.saves,
    mods: mods.port,
    accounts: accounts.port,
    downloads,
    support,
    ticketService: ofTicketService,
  }
  const farm = config.demo?.portsOf(ports) ?? ports
  const dispatchParts = (farm: FarmPorts): FarmDispatchParts => ({
    farm,
    keys,
    metrics: server.metrics,
    streams: server.streams,
    log,
    now: Date.now,
    monotonic,
  })
  const server = await startServer(
    {
      farm,
      chat,
      keys,
      rates: ratesOf(config),
      allowedOrigins: config.ALLOWED_ORIGINS,
      publicInviteCodes: config.PUBLIC_INVITE_CODES,
      publicBadge: config.PUBLIC_BADGE,
      refusalsAs200: config.REFUSALS === '200',
      discord: discordOf(config),
      setup:
        config.PLATFORM_AUTH_URL === undefined
          ? undefined
          : passSetup({ url: config.PLATFORM_AUTH_URL, records: farm.records }),
      basePath: config.API_BASE_PATH,
      publicUrl: config.PUBLIC_URL,
      trustProxy: config.TRUST_PROXY,
      maxClients: config.WS_MAX_CLIENTS,
      pages: documentPages(pageFiles),
      connections: hosting?.connections ?? {},
      log,
    },
    { port: config.API_PORT, ...(config.API_HOST !== undefined && { host: config.API_HOST }) },
  )
  if (config.PLATFORM_AUTH_URL !== undefined) {
    const { registry } = server.metrics
    ticketService = watchTicketService({ url: config.PLATFORM_AUTH_URL, registry, log, monotonic })
    watchedToken = tokenEnd({
      ...ticketService,
      notify: webhooks.notify,
      reported: {
        read: () => records.calls.keptNumber('tokenDaysReported'),
        keep: (days) => records.later.keepNumber('tokenDaysReported', days),
      },
      monotonic,
    })
  }
  if (config.API_KEY === undefined)
    log.warn({}, 'no API_KEY is set: anyone who reaches this address controls the farm')
  const upkeep = watchUpkeep({
    game,
    backups,
    rightFarm,
    hasSaves: config.SAVES_DIR !== undefined,
    ticketService,
    now: Date.now,
    monotonic,
  })
  const everyMinute = setInterval(() => void accounts.tick(), 60_000)
  const everySecond = setInterval(() => {
    void rightFarm.tick()
    chat.tick()
    actions.tick()
    void causes.tick()
    void outages.tick()
    mods.tick()
    releases?.tick()
    void history.tick()
    void webhooks.tick()
    void watchedToken?.()
    void upkeep.tick()
  }, 1000)
  // So that the first report to the fleet has it.
  if (config.EDGE_URL !== undefined)
    await withTimeLimit(firstLook, upkeep.tick(), () => new Error('late')).catch(() => undefined)
  const ofEdge = records.of('edge')
  const link = edgeLink(config, {
    game,
    chat,
    records: ofEdge,
    dispatch: farmDispatch(dispatchParts({ ...farm, records: ofEdge })),
    host: actions.hasLog ? actions.host : undefined,
    keys,
    upkeep: upkeep.current,
    keepsChat,
    log,
  })
  const { registry } = server.metrics
  labelFarm(registry, name)
  registry.registerMetric(answers)
  registry.registerMetric(tries)
  actions.measure(server.metrics)
  measureRecords(registry, records, keys)
  measureWebhooks(registry, () => records.calls.waitingDeliveries())
  measureBackups(registry, backups)
  measureRightFarm(registry, rightFarm)
  if (link !== undefined) measureLink(registry, link)
  measureProcess(registry)
  return {
    server,
    log,
    async stop(within) {
      log.info({}, 'stopping')
      const end = monotonic() + within
      const closing = (parts: Readonly<Record<string, () => unknown>>) =>
        closeTogether(parts, Math.max(0, end + timeForParts - monotonic()), (part, cause) =>
          log.warn({ part, cause }, 'a part of farmgate was not closed in order'),
        )
      // Fail pending game calls now, while clients can still be answered.
      const lastCalls = setTimeout(() => void game.close(), Math.max(1, within - timeForAnswers))
      await closing({ link: () => link?.close(), server: () => server.stop(within) })
      clearTimeout(lastCalls)
      clearInterval(everySecond)
      clearInterval(everyMinute)
      await closing(parts)
      await closing({ game: () => game.close() })
      unlock()
      // Always reached: the records are written to the disk however the other parts have ended.
      await records.close()
      log.info({}, 'stopped')
    },
  }
}

/** Looks for newer releases with `UPDATE_CHECK`. */
const releasesOf = (config: Config, log: Log): Releases | undefined =>
  config.UPDATE_CHECK
    ? watchReleases({
        feed: config.FARMGATE_RELEASES,
        running: version,
        path: join(config.DATA_DIR, 'newest-release.json'),
        resolve: (host) => lookup(host, { all: true }),
        log,
        now: Date.now,
      })
    : undefined

/** Opens the link to the edge when `EDGE_URL` is set. */
function edgeLink(
  config: Config,
  farm: Pick<
    FarmLinkOptions,
    'game' | 'chat' | 'records' | 'dispatch' | 'host' | 'keys' | 'upkeep' | 'keepsChat' | 'log'
  >,
): FarmLink | undefined {
  const { EDGE_URL, EDGE_LINK_KEY } = config
  if (EDGE_URL === undefined || EDGE_LINK_KEY === undefined) return undefined
  const run = randomUUID()
  return openLink({
    urls: EDGE_URL,
    key: EDGE_LINK_KEY,
    ...farm,
    rates: ratesOf(config),
    run,
    monotonic: () => performance.now(),
    random: Math.random,
  })
}

const daysOf = ({ AUDIT_DAYS, HISTORY_DAYS, CHAT_DAYS }: Config): KeptDays => ({
  audit: AUDIT_DAYS,
  history: HISTORY_DAYS,
  chat: CHAT_DAYS,
})
