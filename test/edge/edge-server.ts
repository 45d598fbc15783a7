/** The control API at the edge with a steered farm: workerd, a real link, and this Node process as the origin. */
import { inject } from 'vitest'
import { type FarmLink, type FarmLinkOptions, openLink } from '../../bridges/linked/farm-end/dial.ts'
import { newWorldSettings } from '../../bridges/settings-file/new-worlds.ts'
import type { SimulatedFarm } from '../../bridges/simulated/simulated-farm.ts'
import type { FarmPorts } from '../../handlers/endpoint.ts'
import type { GameBridge } from '../../handlers/game-bridge.ts'
import { systemClock } from '../../lib/clock.ts'
import type { FarmDispatchParts } from '../../runtime/dispatch/farm-dispatch.ts'
import { backupsOf, rightFarmOf, savedFarm, savesOf } from '../backups/saved-farm.ts'
import { steeredFarm } from '../bridges/simulated/steered-farm.ts'
import { askWithKey } from '../contract/request.ts'
import { type ServerUnderTest, type StartOptions, suiteKey } from '../contract/server-under-test.ts'
import { memoryChat } from '../handlers/chat/memory-chat.ts'
import { silent } from '../logs.ts'
import { accountsOf } from '../records/memory-accounts.ts'
import { memoryDownloads } from '../records/memory-downloads.ts'
import { memoryFarm, memoryRecords, noNamedKeys } from '../records/memory-records.ts'
import { schedulesOf } from '../records/memory-schedules.ts'
import { gameOf, steered } from '../runtime/node/node-server.ts'
import { farmHost } from '../services/host/farm-host.ts'
import { plainDriver } from '../services/host/plain-driver.ts'
import { farmMods } from '../services/mods/farm-mods.ts'
import { eventually } from '../wait.ts'
import { type Edge, startEdge, unlimited } from './edge.ts'
import { dispatchOf } from './farm-dispatch.ts'
import { startMiniflare } from './miniflare.ts'

/** What a test sets of a link: its own limits and log, and the parts of its farm. */
export type LinkOptions = Partial<
  Pick<FarmLinkOptions, 'keys' | 'log' | 'rates' | 'backOff'> &
    FarmPorts &
    Pick<FarmDispatchParts, 'endpoints'>
>

/** Links a farm to an edge, with a short back-off unless another is given. */
export const linkFarm = (
  game: GameBridge,
  url: string | readonly string[],
  key: string,
  {
    log = silent,
    rates = { reads: 0, writes: 0 },
    records = memoryRecords('edge'),
    keys = noNamedKeys,
    backOff = { first: 20, max: 100 },
    ...ports
  }: LinkOptions = {},
): FarmLink =>
  openLink({
    urls: [url].flat(),
    key,
    game,
    chat: memoryChat(game),
    dispatch: dispatchOf(game, { log, records, keys, ...ports }),
    host: ports.host,
    records,
    keys,
    keepsChat: true,
    backOff,
    log,
    rates,
    run: crypto.randomUUID(),
    monotonic: () => performance.now(),
    random: Math.random,
  })

export interface EdgeServer extends ServerUnderTest {
  readonly edge: Edge
  readonly bridge: SimulatedFarm
  readonly link: FarmLink
}

export const linkKey = 'bGlua2tleSB0aGF0IGlzIDMyIGJ5dGVzIGxvbmc='
export const fleetKey = 'ZmxlZXRrZXkgdGhhdCBpcyAzMiBieXRlcyBsb24='

const varsOf = ({ rates = {}, ...options }: StartOptions): Record<string, string> => ({
  ...unlimited,
  API_KEY: options.key ?? suiteKey,
  LINK_KEY: linkKey,
  FLEET_KEY: fleetKey,
  API_BASE_PATH: options.basePath ?? '',
  ...(rates.reads !== undefined && { RATE_LIMIT_READS: String(rates.reads) }),
  ...(rates.writes !== undefined && { RATE_LIMIT_WRITES: String(rates.writes) }),
  ...(rates.anonymous !== undefined && { RATE_LIMIT_ANONYMOUS: String(rates.anonymous) }),
  ...(rates.failedKeys !== undefined && { RATE_LIMIT_FAILED_KEYS: String(rates.failedKeys) }),
  ALLOWED_ORIGINS: (options.allowedOrigins ?? []).join(','),
  PUBLIC_INVITE_CODES: String(options.publicInviteCodes ?? false),
  PUBLIC_BADGE: String(options.publicBadge ?? true),
  ...(options.refusalsAs200 === true && { REFUSALS: '200' }),
  ...(options.discord !== undefined && {
    DISCORD_PUBLIC_KEY: options.discord.publicKey,
    DISCORD_API_URL: options.discord.apiUrl,
  }),
  WS_MAX_CLIENTS: String(options.maxClients ?? 2000),
})

/** @param clock of the operations on the game's process */
export async function edgeServer(options: StartOptions = {}, clock = systemClock): Promise<EdgeServer> {
  return withFarm(await startEdge(inject('edgeBundle'), varsOf(options)), options, clock)
}

/** At the Worker as Cloudflare runs it. */
export const platformServer = async (options: StartOptions = {}): Promise<EdgeServer> =>
  withFarm(await startMiniflare(inject('edgeBundle'), varsOf(options)), options)

/** Of the farm itself: any Worker has them. */
const ofFarm: ReadonlySet<string> = new Set(['hasPassword', 'settingsFile', 'signIn'])

/** A farm of the fleet at the Worker that all tests share, or an edge of its own where the options need one. */
export async function farmAtEdge(options: StartOptions = {}): Promise<EdgeServer> {
  if (Object.keys(options).some((name) => !ofFarm.has(name))) return edgeServer(options)
  const { url: root, fleetKey: key } = inject('sharedEdge')
  const farm = { url: `${root}/farms/${crypto.randomUUID()}` }
  const made = (await askWithKey({ ...farm, key }, 'PUT', '')).json as { apiKey: string; linkKey: string }
  const stop = async () => void (await askWithKey({ ...farm, key }, 'DELETE', ''))
  const server = await withFarm(
    { ...farm, stop },
    { ...options, key: made.apiKey },
    systemClock,
    made.linkKey,
  )
  // The farm's audit begins with its creation.
  await eventually(async () => (await server.records.of('local').audit({ limit: 1 })).entries.length === 1)
  return server
}

async function withFarm(
  edge: Edge,
  options: StartOptions,
  clock = systemClock,
  ownLinkKey = linkKey,
): Promise<EdgeServer> {
  const key = options.key ?? suiteKey
  const url = `${edge.url}${options.basePath ?? ''}`
  const bridge = steeredFarm({ hasPassword: options.hasPassword ?? false })
  const farm = await memoryFarm()
  const saved = savedFarm()
  const rightFarm = rightFarmOf(saved.savesDir, bridge)
  const backups = backupsOf(saved, bridge)
  const driver = plainDriver()
  const host = farmHost({ driver, game: bridge, backups: backups.port, records: farm.records, clock })
  const folder = farmMods()
  const { port: mods } = folder.open({ backups: backups.port })
  const link = linkFarm(gameOf(bridge, saved, farm.records, options, rightFarm), url, ownLinkKey, {
    records: farm.records.of('edge'),
    backups: backups.port,
    host: host.port,
    schedules: schedulesOf({ ...farm, game: bridge, backups: backups.port, host: host.port }).port,
    saves: savesOf(saved, bridge, host.port, {
      mods,
      rightFarm,
      settings: newWorldSettings(saved.settingsPath, saved.settingsChanges),
    }),
    accounts: accountsOf(farm.records, options.signIn),
    mods,
    downloads: memoryDownloads(),
    keys: farm.keys,
  })
  await eventually(() => {
    if (!link.isOpen) throw new Error('not linked yet')
  })
  return {
    url,
    wsUrl: `${url.replace('http', 'ws')}/ws`,
    key,
    farm: steered(bridge),
    records: farm.records,
    saved,
    rightFarm,
    host: driver,
    edge,
    bridge,
    link,
    async stop() {
      await link.close()
      host.close()
      await bridge.close()
      await backups.close()
      saved.remove()
      folder.remove()
      await edge.stop()
    },
  }
}
