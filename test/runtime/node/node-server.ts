/**
 * A server of the Node runtime with a simulated farm that tests control, for the contract suites and the tests of Node
 * alone.
 */

import { withSettingsFile } from '../../../bridges/settings-file/change-settings.ts'
import { newWorldSettings } from '../../../bridges/settings-file/new-worlds.ts'
import type { SimulatedFarm } from '../../../bridges/simulated/simulated-farm.ts'
import type { FarmPorts } from '../../../handlers/endpoint.ts'
import type { GameHost } from '../../../handlers/game-host.ts'
import { documentPages } from '../../../runtime/documents/pages.ts'
import { pageFiles } from '../../../runtime/node/page-files.ts'
import { type ServerOptions, startServer } from '../../../runtime/node/server.ts'
import type { OwnRecords } from '../../../services/records/own-records.ts'
import { ownersOf } from '../../../services/saves/owners.ts'
import { loadNext } from '../../../services/saves/pointer.ts'
import { watchStarts } from '../../../services/saves/prepare-start.ts'
import { type RightFarm, withRightFarm } from '../../../services/saves/watch-right-farm.ts'
import { withAccounts } from '../../../services/saves/with-accounts.ts'
import { backupsOf, rightFarmOf, type SavedFarm, savedFarm, savesOf } from '../../backups/saved-farm.ts'
import { steeredFarm } from '../../bridges/simulated/steered-farm.ts'
import {
  type ServerUnderTest,
  type StartOptions,
  type SteeredFarm,
  suiteKey,
} from '../../contract/server-under-test.ts'
import { type LogLine, recorder, silent } from '../../logs.ts'
import { accountsOf } from '../../records/memory-accounts.ts'
import { memoryDownloads } from '../../records/memory-downloads.ts'
import { memoryFarm } from '../../records/memory-records.ts'
import { schedulesOf } from '../../records/memory-schedules.ts'
import { noSupport } from '../../records/no-support.ts'
import { asItIs, farmHost } from '../../services/host/farm-host.ts'
import { plainDriver } from '../../services/host/plain-driver.ts'
import { farmMods } from '../../services/mods/farm-mods.ts'
import { plainServer } from './plain-server.ts'

export interface NodeServer extends ServerUnderTest {
  readonly port: number
  readonly bridge: SimulatedFarm
  /** All log lines, oldest first. */
  readonly log: readonly LogLine[]
  /** Stops the server as a signal does, within so many milliseconds. */
  shutDown(within: number): Promise<void>
}

export interface NodeOptions extends StartOptions {
  /** Options of the server itself. */
  readonly server?: Partial<Omit<ServerOptions, 'farm'> & FarmPorts>
  /** In place of a game that runs in memory. */
  readonly driver?: GameHost
  /** In place of an empty volume of saves. */
  readonly saved?: SavedFarm
  /** In place of one that looks at the simulated farm. */
  readonly rightFarm?: RightFarm
  /** A stop makes a backup first. */
  readonly hasBackups?: boolean
}

export async function nodeServer(options: NodeOptions = {}): Promise<NodeServer> {
  const key = options.key === null ? '' : (options.key ?? suiteKey)
  const bridge = steeredFarm({ hasPassword: options.hasPassword ?? false })
  const farm = await memoryFarm(key, options.signIn?.now)
  const saved = options.saved ?? savedFarm()
  const rightFarm = options.rightFarm ?? rightFarmOf(saved.savesDir, bridge)
  const backups = backupsOf(saved, bridge)
  const log: LogLine[] = []
  const {
    game = gameOf(bridge, saved, farm.records, options, rightFarm),
    records = farm.records.of('local'),
    backups: port = backups.port,
    host: givenHost,
    accounts = accountsOf(farm.records, options.signIn),
    mods: givenMods,
    ...given
  } = options.server ?? {}
  const inMemory = plainDriver()
  const { driver = inMemory, hasBackups = false } = options
  const { savesDir } = saved
  const settings = newWorldSettings(saved.settingsPath, saved.settingsChanges)
  const starts = watchStarts({
    savesDir,
    game,
    settings,
    rightFarm,
    repair: (dir, { to }) => loadNext(dir, to),
    log: silent,
  })
  const host = farmHost({
    driver,
    hasBackups,
    game,
    backups: port,
    records: farm.records,
    preparation: (_by, _request, plan) => (plan === undefined ? asItIs : starts.changing(plan)),
  })
  const folder = farmMods()
  const { port: mods } = folder.open({ backups: port })
  const schedules = schedulesOf({ ...farm, game, backups: port, host: host.port })
  const server = await startServer(
    {
      ...plainServer,
      farm: {
        game,
        records,
        backups: port,
        host: givenHost ?? host.port,
        schedules: schedules.port,
        saves: savesOf(saved, game, host.port, { mods: givenMods ?? mods, rightFarm, settings }),
        accounts,
        mods: givenMods ?? mods,
        downloads: memoryDownloads(),
        support: noSupport,
        ticketService: { signIn: async () => undefined },
      },
      keys: farm.keys,
      rates: { ...plainServer.rates, ...options.rates },
      allowedOrigins: options.allowedOrigins ?? [],
      publicInviteCodes: options.publicInviteCodes ?? false,
      publicBadge: options.publicBadge ?? true,
      refusalsAs200: options.refusalsAs200 ?? false,
      discord: options.discord,
      basePath: options.basePath ?? '',
      publicUrl: options.signIn?.publicUrl,
      maxClients: options.maxClients ?? plainServer.maxClients,
      pages: documentPages(pageFiles),
      log: recorder(log),
      ...given,
    },
    { host: '127.0.0.1', port: 0 },
  )
  return {
    url: server.url,
    wsUrl: `${server.url.replace('http', 'ws')}/ws`,
    port: server.port,
    key,
    bridge,
    farm: steered(bridge),
    records: farm.records,
    saved,
    rightFarm,
    host: inMemory,
    log,
    shutDown: (within) => server.stop(within),
    async stop() {
      await server.stop(0)
      host.close()
      await bridge.close()
      await backups.close()
      saved.remove()
      folder.remove()
    },
  }
}

/** The game with the settings file of a test, if it has one, the accounts in its save, and the allowlist. */
export const gameOf = (
  game: SimulatedFarm,
  { savesDir, settingsChanges }: Pick<SavedFarm, 'savesDir' | 'settingsChanges'>,
  { calls }: OwnRecords,
  { settingsFile }: StartOptions,
  rightFarm: RightFarm,
): SimulatedFarm =>
  withAccounts(
    withRightFarm(
      settingsFile === undefined ? game : withSettingsFile(game, settingsFile, settingsChanges),
      rightFarm,
    ),
    {
      owners: ownersOf(savesDir, game.status, () => performance.now()),
      allowlist: async () => calls.allowlist(),
    },
  )

/** The controls of a simulated farm as the contract suites use them. */
export function steered({ controls }: SimulatedFarm): SteeredFarm {
  return {
    join: (player) => void controls.join(player),
    knock: (player) => void controls.join(player),
    leave: (id) => void controls.leave(id),
    rename: (id, name) => void controls.rename(id, name),
    say: (id, message) => void controls.say(id, message),
    relayed: () => controls.chatRelayed,
    seen: () => controls.chatSeen,
    isAdmin: controls.isAdmin,
    writes: () => controls.writes,
    festival: controls.festival,
    freeze: controls.freeze,
    thaw: controls.thaw,
    fallSilent: controls.fallSilent,
    unanswered: () => controls.waiting,
    goOffline: controls.goOffline,
    comeBack: controls.comeBack,
    save: controls.save,
  }
}
